/** Contexts are only needed by reentrant locks, which no scene uses. */
export class AsyncLocalStorage<T> {
  getStore(): T | undefined {
    return undefined;
  }

  run<R>(_store: T, run: () => R): R {
    return run();
  }
}

export class AsyncResource {
  runInAsyncScope<A extends unknown[], R>(run: (...args: A) => R, _self?: unknown, ...args: A): R {
    return run(...args);
  }
}
