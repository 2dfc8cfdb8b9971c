import { fstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

const FIRST_EXTRA = 3;
const ACCESS_MODE = 0o3;

/** An open file descriptor of this process. */
interface Descriptor {
  readonly fd: number;
  /** What it refers to, as /proc shows it. */
  readonly target: string;
  readonly isReadOnly: boolean;
}

/**
 * Why a descriptor cannot be written to; undefined if it can. Those that Node.js opened for itself count as closed:
 * they have the lowest numbers that the parent process left free.
 */
export function problemOfDescriptor(fd: number): string | undefined {
  try {
    fstatSync(fd);
  } catch {
    return "is not open";
  }
  if (process.platform !== "linux") return undefined;
  const all = openDescriptors();
  const own = all.find((each) => each.fd === fd);
  if (own === undefined || isInternal(own, all)) return "is not open";
  return own.isReadOnly ? "is open for reading only" : undefined;
}

/**
 * The descriptors that a command inherits: stdin, stdout, stderr, and all others that quorate was started with, except
 * `but`. Node.js closes the others in its children unless they are listed. Known on Linux only; elsewhere it is the
 * first three.
 */
export function inheritedStdio(but: number | undefined): (number | "ignore")[] {
  const all = process.platform === "linux" ? openDescriptors() : [];
  const extra = new Set(
    all
      .filter((each) => each.fd >= FIRST_EXTRA && each.fd !== but && !isInternal(each, all))
      .map(({ fd }) => fd),
  );
  const length = Math.max(FIRST_EXTRA, ...[...extra].map((fd) => fd + 1));
  return Array.from({ length }, (_, fd) => (fd < FIRST_EXTRA || extra.has(fd) ? fd : "ignore"));
}

function openDescriptors(): readonly Descriptor[] {
  return readdirSync("/proc/self/fd").flatMap((name) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${name}`);
      const info = readFileSync(`/proc/self/fdinfo/${name}`, "utf8");
      const flags = Number.parseInt(/^flags:\s*(\d+)/m.exec(info)?.[1] ?? "0", 8);
      return { fd: Number(name), target, isReadOnly: (flags & ACCESS_MODE) === 0 };
    } catch {
      // The descriptor that was used to read the directory.
      return [];
    }
  });
}

/** Whether Node.js opened it: event loops, and pipes that have both ends in this process. */
function isInternal({ fd, target, isReadOnly }: Descriptor, all: readonly Descriptor[]): boolean {
  if (fd < FIRST_EXTRA) return false;
  if (target.startsWith("anon_inode:")) return true;
  // Kept in reserve for when no descriptors are left. One that can be written to was given to us (`3>/dev/null`).
  if (target === "/dev/null") return isReadOnly;
  if (!target.startsWith("pipe:")) return false;
  return all.some((other) => other.target === target && other.isReadOnly !== isReadOnly);
}
