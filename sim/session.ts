import type { HistoryEvent, StoreEvent } from "./oracles/history.js";
import type { DropIn } from "./drop-in.js";
import type { DropInUse, Session } from "./scenario.js";
import type { Held, Service } from "./service.js";
import type { SimClient } from "./sim-client.js";
import type { SimLock } from "./sim-lock.js";
import type { Store, StoreKind } from "./store.js";
import type { World } from "./world.js";

export interface SessionWorld {
  readonly world: World;
  readonly record: (event: HistoryEvent) => void;
  readonly stores: (kind: StoreKind, name: string) => Store;
  readonly checkToWriteMs: number;
  /** Undefined if it has no process that lives. */
  readonly clientAt: (index: number) => SimClient | undefined;
  /** Healing has begun: services finish what they do. */
  readonly isEnding: () => boolean;
}

/** What a service does with one lock: acquire, work on the protected stores, release. */
export async function runSession(
  sessionWorld: SessionWorld,
  client: SimClient,
  session: Session,
): Promise<void> {
  const { dropIn } = client;
  if (session.dropIn !== undefined && dropIn !== undefined) {
    await runDropIn(sessionWorld, dropIn, session, session.dropIn);
    return;
  }
  if (session.isLook === true) {
    await client.look(session.name);
    return;
  }
  if (session.isForce === true) {
    await client.force(session.name);
    return;
  }
  if (session.termCount !== undefined) {
    await runElection(sessionWorld, client, session, session.termCount);
    return;
  }
  const { joinCount } = session;
  if (joinCount !== undefined || session.steal === true || session.isRequest === true) {
    await client.request(session, joinCount !== undefined, (lock) =>
      useRequested(sessionWorld, client, session, lock),
    );
    return;
  }
  const lock = await client.acquire(session);
  if (lock === undefined) return;
  await useLock(sessionWorld, client, session, lock, async () => {
    if (session.adopters !== undefined) giveAway(sessionWorld, client, session, lock);
    await client.release(lock);
    if (session.release === "twice") await client.release(lock);
  });
}

/** The same with redlock's interface. */
async function runDropIn(
  sessionWorld: SessionWorld,
  dropIn: DropIn,
  session: Session,
  use: DropInUse,
): Promise<void> {
  if (use.extendBeforeMs !== undefined) {
    await dropIn.using(session, use, (had) =>
      useLock(sessionWorld, dropIn, session, had, async () => {}),
    );
    return;
  }
  const had = await dropIn.acquire(session, use);
  if (had === undefined) return;
  await useLock(sessionWorld, dropIn, session, had, async () => {
    await dropIn.release(had, true);
    if (session.release === "twice") await dropIn.release(had, false);
  });
}

/** In the callback of a request, which releases the lock. */
async function useRequested(
  sessionWorld: SessionWorld,
  client: SimClient,
  session: Session,
  lock: SimLock,
): Promise<void> {
  const { name, joinCount, release } = session;
  const handles = [lock];
  for (let count = 1; count <= (joinCount ?? 0) && lock.lock.isHeld; count++) {
    handles.push(await client.join(name, count));
  }
  await useLock(sessionWorld, client, session, lock, async () => {
    if (joinCount !== undefined) await leaveAll(client, handles, release === "twice");
    else if (release === "twice") await client.release(lock);
  });
}

/** Others go on with the lock, as the session would. */
function giveAway(
  sessionWorld: SessionWorld,
  client: SimClient,
  session: Session,
  lock: SimLock,
): void {
  const json = client.give(lock);
  if (json === undefined) return;
  const { world, clientAt, isEnding } = sessionWorld;
  for (const { client: index, afterMs } of session.adopters ?? []) {
    world.at(world.nowUs + afterMs * 1_000, () => {
      const adopter = clientAt(index);
      adopter?.process.enter(() => {
        if (!isEnding()) void adoptAndUse(sessionWorld, adopter, session, lock.ownerId, json);
      });
    });
  }
}

async function adoptAndUse(
  sessionWorld: SessionWorld,
  client: SimClient,
  session: Session,
  giverId: string,
  json: string,
): Promise<void> {
  const lock = await client.adopt(session.name, giverId, json);
  if (lock === undefined) return;
  await useLock(sessionWorld, client, session, lock, () => client.release(lock));
}

/** The outer one first: who joined may stay longer than who was joined. */
async function leaveAll(
  client: SimClient,
  handles: readonly SimLock[],
  isTwice: boolean,
): Promise<void> {
  const { entropy } = client.process;
  for (const [index, handle] of handles.entries()) {
    const isLast = index === handles.length - 1;
    for (let count = 0; count < (isTwice ? 2 : 1); count++) {
      const releasing = client.release(handle);
      if (isLast) await releasing;
    }
    if (!isLast) await client.process.sleep(entropy.unit() * 20);
  }
}

/** The same in a loop over terms, which the election releases. */
async function runElection(
  sessionWorld: SessionWorld,
  client: SimClient,
  session: Session,
  termCount: number,
): Promise<void> {
  const election = client.elect(session.name, session.abortAfterMs);
  for (let count = 0; count < termCount; count++) {
    const term = await election.next();
    if (term === undefined) return;
    // Whoever is handed a term takes it for one that lasts.
    client.told.onHeld(term);
    await useLock(sessionWorld, client, session, term, async () => {
      if (session.release === "twice") await client.release(term);
    });
    if (sessionWorld.isEnding()) break;
  }
  await election.end();
}

/** Everything from the grant to the release. */
async function useLock<L extends Held>(
  { world, record, stores, checkToWriteMs, isEnding }: SessionWorld,
  client: Service<L>,
  session: Session,
  lock: L,
  release: () => Promise<void>,
): Promise<void> {
  const { process } = client;
  // What a permit protects is its own: others write beside it.
  const { names } = lock;
  const { name, waitMs, owner } = session;
  const isBesideOthers = session.mode === "shared" || session.owner !== undefined;
  const stepCount = Math.max(1, session.writeCount + session.extendCount);
  const stepMs = session.holdMs / stepCount;
  for (let step = 0; step < stepCount && !isEnding(); step++) {
    const isWrite = step < session.writeCount;
    if (isWrite && isBesideOthers) access(names[0] ?? session.name, "unfenced", "read", 0);
    else if (isWrite) await writeOnce(stepMs / 2);
    await process.sleep(isWrite ? stepMs / 2 : stepMs);
    if (session.isNested === true && step === 0) await client.enterAgain?.({ name, waitMs, owner });
    if (!isWrite && session.extendCount > 0) await client.extend(lock);
    if (!client.isHeld(lock)) break;
  }
  // A leader: it stays until it is lost, or until the end.
  while (session.release === "atEnd" && !isEnding() && client.isHeld(lock)) {
    await process.sleep(100);
  }
  if (session.release === "late" && !isEnding()) await process.sleep(client.ttlMs / 2);
  await release();

  /** Read, think, check, write: on stores that know fencing tokens and on some that do not. */
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
    // A store that checks tokens is of no use to a lock without.
    if (kind === "fenced" && token === undefined) return undefined;
    const store = stores(kind, name);
    const read = what === "read" ? store.read(token) : base;
    const isTaken = what === "read" ? read !== undefined : store.write(base, token);
    const event: StoreEvent = {
      kind: "store",
      atUs: world.nowUs,
      process: process.name,
      store: kind,
      name,
      ownerId,
      token,
      what: isTaken ? what : "reject",
      base: read ?? 0,
    };
    record(event);
    return isTaken ? read : undefined;
  }
}
