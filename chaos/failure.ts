/** A failure of the harness at any time: reported once, to the code that awaits it. */
export class Failure {
  readonly promise: Promise<never>;
  /** Bound, so that it can be passed around. */
  readonly raise: (error: Error) => void;

  constructor() {
    let raise: (error: Error) => void = () => {};
    this.promise = new Promise<never>((_, reject) => {
      raise = reject;
    });
    this.raise = raise;
    // It may come when nothing awaits it any more.
    this.promise.catch(() => {});
  }
}
