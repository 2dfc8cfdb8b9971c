/** A failure of the harness, at any time: reported once, to whoever awaits it. */
export class Failure {
  readonly promise: Promise<never>;
  /** Bound, so that it can be handed around. */
  readonly raise: (error: Error) => void;

  constructor() {
    let raise: (error: Error) => void = () => {};
    this.promise = new Promise<never>((_, reject) => {
      raise = reject;
    });
    this.raise = raise;
    // It may come when nobody waits for it any more.
    this.promise.catch(() => {});
  }
}
