/** Where compiled code lies: this file is `<build>/test/support/leaks/caller.js`. */
const BUILD = new URL("../../../", import.meta.url).href;

/** `testing` counts as the tests' own, and what is on its way to a node in memory as the network's. */
const LIBRARY = /^src\/(?!(?:testing|memory)\/)/;

/** What is left of its processes is theirs: some die in the middle of all. */
const SIMULATOR = "sim/";

const MAX_FRAMES = 12;

const stackSettings: { stackTraceLimit: number; prepareStackTrace?: unknown } = Error;

/** A place in code: `src/manager/request.js:50`. */
export interface Caller {
  readonly isLibrary: boolean;
  readonly isTest: boolean;
  readonly place: string;
}

/**
 * Who called the function, past Node's own frames: the library itself, a test, or a package.
 *
 * @param callee left out, with all that it calls
 * @param isThroughPackages whether packages are passed over, too
 */
export function callerOf(callee: (...args: never[]) => unknown, isThroughPackages = false): Caller {
  for (const site of sitesBelow(callee)) {
    const file = site.getFileName() ?? "node:";
    if (file.startsWith("node:")) continue;
    const href = file.startsWith("file:") ? file : `file://${file}`;
    if (href.startsWith(BUILD)) {
      const path = href.slice(BUILD.length);
      // Whoever asked for a timer, and not the clock that sets all of them.
      if (path.startsWith("test/support/leaks/") || path.startsWith("src/runtime/")) continue;
      const isLibrary = LIBRARY.test(path);
      const isTest = !isLibrary && !path.startsWith(SIMULATOR);
      return { isLibrary, isTest, place: `${path}:${site.getLineNumber() ?? 0}` };
    }
    if (!isThroughPackages) break;
  }
  return { isLibrary: false, isTest: false, place: "elsewhere" };
}

/** Whether the simulator is at work in what the function is called for. */
export function isSimulated(callee: (...args: never[]) => unknown): boolean {
  return sitesBelow(callee).some((site) => site.getFileName()?.startsWith(`${BUILD}${SIMULATOR}`));
}

function sitesBelow(callee: (...args: never[]) => unknown): readonly NodeJS.CallSite[] {
  const before = { ...stackSettings };
  const holder: { stack?: unknown } = {};
  Object.assign(stackSettings, {
    stackTraceLimit: MAX_FRAMES,
    prepareStackTrace: (_: unknown, sites: unknown) => sites,
  });
  Error.captureStackTrace(holder, callee);
  const sites = holder.stack as readonly NodeJS.CallSite[];
  stackSettings.stackTraceLimit = before.stackTraceLimit;
  stackSettings.prepareStackTrace = before.prepareStackTrace;
  return sites;
}
