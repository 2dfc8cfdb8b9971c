/** Scenes use no reentrant locks, which are all that asks for contexts. */
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
