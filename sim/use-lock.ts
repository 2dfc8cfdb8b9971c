import type { Recorder } from "./recorder.js";
import type { Session } from "./scenario.js";
import type { Held, Service } from "./service.js";
import type { SimClient } from "./sim-client.js";
import type { Store, StoreKind } from "./store.js";
import type { World } from "./world.js";

export interface SessionWorld {
  readonly world: World;
  readonly record: Recorder;
  readonly stores: (kind: StoreKind, name: string) => Store;
  readonly checkToWriteMs: number;
  /** Undefined if it has no live process. */
  readonly clientAt: (index: number) => SimClient | undefined;
  /** Healing has begun: services finish their work. */
  readonly isEnding: () => boolean;
}

/** Everything from the grant to the release. */
export async function useLock<L extends Held>(
  { record, stores, checkToWriteMs, isEnding }: SessionWorld,
  client: Service<L>,
  session: Session,
  lock: L,
  release: () => Promise<void>,
): Promise<void> {
  const { process } = client;
  // A permit protects only what is its own: others write beside it.
  const { names } = lock;
  const { name, waitMs, owner, options } = session;
  const isBesideOthers = session.mode === "shared" || session.owner !== undefined;
  const stepCount = Math.max(1, session.writeCount + session.extendCount);
  const stepMs = session.holdMs / stepCount;
  for (let step = 0; step < stepCount && !isEnding(); step++) {
    const isWrite = step < session.writeCount;
    if (isWrite && isBesideOthers) access(names[0] ?? session.name, "unfenced", "read", 0);
    else if (isWrite) await writeOnce(stepMs / 2);
    await process.sleep(isWrite ? stepMs / 2 : stepMs);
    const isAgain = session.isNested === true && step === 0 && !isEnding();
    if (isAgain) await client.enterAgain?.({ name, waitMs, owner, options });
    if (!isWrite && session.extendCount > 0) {
      await client.extend(lock, session.extendToMs?.[step - session.writeCount]);
    }
    if (!client.isHeld(lock)) break;
  }
  // A leader: it stays until it loses the lock, or until the end.
  while (session.release === "atEnd" && !isEnding() && client.isHeld(lock)) {
    await process.sleep(100);
  }
  if (session.release === "late" && !isEnding()) await process.sleep(client.ttlMs / 2);
  await release();

  /** Read, think, check, write: on stores that know fencing tokens and on stores that do not. */
  async function writeOnce(thinkMs: number): Promise<void> {
    if (!client.isHeld(lock)) return;
    const bases = names.map((name) => ({
      name,
      unfenced: access(name, "unfenced", "read", 0),
      fenced: access(name, "fenced", "read", 0),
    }));
    await process.sleep(thinkMs);
    if (!client.isHeld(lock)) return;
    if (checkToWriteMs > 0) await process.sleep(checkToWriteMs);
    for (const { name, unfenced, fenced } of bases) {
      if (unfenced !== undefined) access(name, "unfenced", "write", unfenced);
      if (fenced !== undefined) access(name, "fenced", "write", fenced);
    }
  }

  function access(
    name: string,
    kind: StoreKind,
    what: "read" | "write",
    base: number,
  ): number | undefined {
    const { ownerId, token } = lock;
    // A store that checks tokens is of no use to a lock without one.
    if (kind === "fenced" && token === undefined) return undefined;
    const store = stores(kind, name);
    const read = what === "read" ? store.read(token) : base;
    const isTaken = what === "read" ? read !== undefined : store.write(base, token);
    record({
      kind: "store",
      process: process.name,
      store: kind,
      name,
      ownerId,
      token,
      what: isTaken ? what : "reject",
      base: read ?? 0,
    });
    return isTaken ? read : undefined;
  }
}
