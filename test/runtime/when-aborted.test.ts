import { execFile } from "node:child_process";
import { getEventListeners } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
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

  // As those of test runners: before Node.js 24, only the main context has `Symbol.dispose`.
  it("lets the signal go in a VM context", async () => {
    const file = fileURLToPath(new URL("../../src/runtime/when-aborted.js", import.meta.url));
    const program = `
      const [events, vm, fs] = ["node:events", "node:vm", "node:fs"].map((name) => require(name));
      const context = vm.createContext({});
      const source = fs.readFileSync(${JSON.stringify(file)}, "utf8");
      const module = new vm.SourceTextModule(source, { context });
      const names = ["addAbortListener"];
      const imported = new vm.SyntheticModule(names, function () {
        for (const name of names) this.setExport(name, events[name]);
      }, { context });
      module.link(() => imported).then(() => module.evaluate()).then(() => {
        const { signal } = new AbortController();
        module.namespace.whenAborted(signal, () => {})();
        console.log(events.getEventListeners(signal, "abort").length);
      });`;
    const args = ["--experimental-vm-modules", "--no-warnings", "--eval", program];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout).to.equal("0\n");
  });
});
