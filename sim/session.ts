import type { DropIn } from "./drop-in.js";
import type { DropInUse, Session } from "./scenario.js";
import type { SimClient } from "./sim-client.js";
import type { SimLock } from "./sim-lock.js";
import { useLock, type SessionWorld } from "./use-lock.js";

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
  if (session.resizeTo !== undefined) {
    await client.resize(session.name, session.permits ?? 1, session.resizeTo);
    return;
  }
  if (session.isCounting === true) {
    await client.count(session.name, session.permits ?? 1);
    return;
  }
  if (session.observe !== undefined) {
    await client.observe(session.name, session.observe);
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

/** Other clients continue with the lock, as the session would. */
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

/** A leader says something else of itself now and then, also when its term is over. */
async function proclaimAll(
  { isEnding }: SessionWorld,
  client: SimClient,
  { proclaimCount = 0, holdMs }: Session,
  term: SimLock,
): Promise<void> {
  for (let count = 1; count <= proclaimCount && !isEnding(); count++) {
    await client.proclaim(term, `${count} of ${term.ownerId}`);
    await client.process.sleep(holdMs / proclaimCount);
  }
}

/** The outer handle first: a handle that joined may outlive the one it joined. */
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
    // A service that gets a term relies on it at once.
    client.told.onHeld(term);
    void proclaimAll(sessionWorld, client, session, term);
    await useLock(sessionWorld, client, session, term, async () => {
      if (session.release === "twice") await client.release(term);
    });
    if (sessionWorld.isEnding()) break;
  }
  await election.end();
}
