import { getEventListeners } from "node:events";
import { expect } from "chai";
import { whenAborted } from "../../src/runtime/when-aborted.js";

describe("whenAborted", () => {
  const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, "abort").length;

  it("calls all back that share a signal, by one listener", () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const called: number[] = [];
    for (let at = 0; at < 12; at++) whenAborted(one.signal, () => called.push(at));
    whenAborted(other.signal, () => called.push(-1));
    expect([listenersOf(one.signal), listenersOf(other.signal)]).to.deep.equal([1, 1]);
    one.abort();
    expect(called).to.deep.equal(Array.from({ length: 12 }, (_, at) => at));
  });

  it("calls back whatever a listener before does with the event", () => {
    const controller = new AbortController();
    controller.signal.addEventListener("abort", (event) => event.stopImmediatePropagation());
    let count = 0;
    whenAborted(controller.signal, () => count++);
    controller.abort();
    expect(count).to.equal(1);
  });

  it("calls nobody back where the signal has aborted before", async () => {
    let count = 0;
    whenAborted(AbortSignal.abort(), () => count++)();
    await new Promise((resolve) => setImmediate(resolve));
    expect(count).to.equal(0);
  });

  it("listens again after it let the signal go", () => {
    const controller = new AbortController();
    whenAborted(controller.signal, () => {})();
    let count = 0;
    whenAborted(controller.signal, () => count++);
    expect(listenersOf(controller.signal)).to.equal(1);
    controller.abort();
    expect(count).to.equal(1);
  });

  it("calls nobody back who has lost interest, even meanwhile, and lets the signal go with the last", () => {
    const controller = new AbortController();
    const { signal } = controller;
    const called: string[] = [];
    const ignore = whenAborted(signal, () => called.push("gone"));
    const ignoreLater = whenAborted(signal, () => called.push("last"));
    ignore();
    ignore();
    expect(listenersOf(signal)).to.equal(1);
    ignoreLater();
    expect(listenersOf(signal)).to.equal(0);
    whenAborted(signal, () => {
      called.push("first");
      ignoreSecond();
    });
    const ignoreSecond = whenAborted(signal, () => called.push("second"));
    controller.abort();
    expect(called).to.deep.equal(["first"]);
  });
});
