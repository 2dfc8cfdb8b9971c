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
  runInAsyncScope<R>(run: () => R): R {
    return run();
  }
}
