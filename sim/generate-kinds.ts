import type { Profile } from "./profiles.js";
import { hashText, seededRandom, type Random } from "./random.js";
import type { LockSettings, Session } from "./scenario.js";

/** Names of sets: any two of them together, or all three. */
const CIRCLE = ["a", "b", "c"];

/** Properties of the run. */
interface About extends Pick<LockSettings, "layout"> {
  readonly clientCount: number;
  readonly chaosMs: number;
}

/** How a profile changes the sessions that every profile has. */
interface Kind {
  /** Name of its random stream: its draws change no others. */
  readonly stream: string;
  apply(random: Random, sessions: readonly Session[], run: About): Session[];
}

const KINDS: Partial<Record<Profile, Kind>> = {
  shared: { stream: "readers", apply: withReaders },
  several: { stream: "sets", apply: withSets },
  owners: { stream: "owners", apply: withOwners },
  semaphore: { stream: "permits", apply: withPermits },
  adoption: { stream: "adopters", apply: withAdopters },
  steal: { stream: "thieves", apply: withSteals },
  force: { stream: "operators", apply: withOperators },
  bursts: { stream: "bursts", apply: withBursts },
  waiting: { stream: "places", apply: withPlaces },
  requests: { stream: "requests", apply: withCompany },
  splits: { stream: "splits", apply: withSplits },
  nodes: { stream: "during changes", apply: withFewKinds },
  healthy: { stream: "healthy", apply: withAnyKind },
};

/** The sessions of a profile that is about one kind of lock, or about one operation on locks. */
export function withKind(
  seed: number,
  profile: Profile,
  sessions: readonly Session[],
  run: About,
): readonly Session[] {
  const kind = KINDS[profile];
  if (kind === undefined) return sessions;
  return kind.apply(seededRandom(hashText(seed, kind.stream)), sessions, run);
}

/**
 * Again and again all clients ask for a name at one moment, mostly without waiting, and mostly for an exclusive lock. The
 * other sessions hold the name now and then, wait for it, and leave it.
 */
function withSplits(random: Random, sessions: readonly Session[], run: About): Session[] {
  const few = sessions.filter(() => random.chance(40));
  const races = Array.from({ length: random.between(4, 8) }, (): Session[] => {
    const { name } = random.oneOf(sessions);
    const atMs = random.below(run.chaosMs);
    const withinMs = random.oneOf([1, 1, 3, 10]);
    const kind = kindOfRace(random);
    return Array.from({ length: run.clientCount }, (_, client): Session => ({
      ...{ atMs: atMs + random.below(withinMs), client, name, writeCount: random.below(2) },
      ...{ waitMs: random.chance(80) ? 0 : random.between(1, 400), holdMs: random.between(1, 150) },
      ...{ extendCount: 0, release: "once" },
      ...(random.chance(70) ? {} : kind),
    }));
  });
  return [...few, ...races.flat()].toSorted((a, b) => a.atMs - b.atMs);
}

function kindOfRace(random: Random): Partial<Session> {
  const kinds = [
    {},
    { mode: "shared" },
    { permits: 2 },
    { owner: "job" },
    { also: ["c"] },
  ] as const;
  return random.oneOf<Partial<Session>>(kinds);
}

/** Those of another profile in which services wait for each other. */
function withAnyKind(random: Random, sessions: readonly Session[], run: About): Session[] {
  const apply = random.oneOf([withReaders, withPermits, withPlaces, withCompany, withBursts]);
  return apply(random, sessions, run);
}

/** Locks of several kinds, while something else changes. */
function withFewKinds(random: Random, sessions: readonly Session[], run: About): Session[] {
  const asTheyAre = (): Session[] => [...sessions];
  const apply = random.oneOf([asTheyAre, asTheyAre, withReaders, withPermits, withAdopters]);
  return apply(random, sessions, run);
}

/** Most of them only read. */
function withReaders(random: Random, sessions: readonly Session[]): Session[] {
  return sessions.map((session) => (random.chance(65) ? { ...session, mode: "shared" } : session));
}

/** Sets that overlap in a cycle, with plain locks beside them. */
function withSets(random: Random, sessions: readonly Session[]): Session[] {
  const pair = (): Pick<Session, "name" | "also"> => {
    const at = random.below(CIRCLE.length);
    const next = CIRCLE[(at + 1) % CIRCLE.length] as string;
    return { name: CIRCLE[at] as string, also: [next] };
  };
  return sessions.map((session) => {
    if (random.chance(40)) return session;
    if (random.chance(70)) return { ...session, ...pair() };
    const [name = "", ...also] = CIRCLE;
    return random.chance(40)
      ? { ...session, name, also }
      : { ...session, name: random.oneOf(CIRCLE) };
  });
}

/** Most of them belong to one of two jobs, and some re-enter the lock that they already hold. */
function withOwners(random: Random, sessions: readonly Session[]): Session[] {
  return sessions.map((session) => {
    if (!random.chance(75)) return session;
    const owner = random.oneOf(["job", "job", "task"]);
    return { ...session, owner, isNested: random.chance(40) };
  });
}

/** Most of them want permits of the same semaphore size, some of them several. */
function withPermits(random: Random, sessions: readonly Session[]): Session[] {
  const permits = random.oneOf([1, 2, 2, 3, 5]);
  const most = random.oneOf([1, permits]);
  return sessions.map((session) => {
    if (!random.chance(85)) return session;
    const takes = random.between(1, most);
    return takes === 1 ? { ...session, permits } : { ...session, permits, takes };
  });
}

/** Most of them give their lock away, often to two clients, of which one may adopt it. */
function withAdopters(
  random: Random,
  sessions: readonly Session[],
  { clientCount }: About,
): Session[] {
  return sessions.map((session) =>
    random.chance(70) ? givenAway(random, session, clientCount) : session,
  );
}

export function givenAway(random: Random, session: Session, clientCount: number): Session {
  const afterMs = random.oneOf([0, 1, 10, 100, random.below(1_000)]);
  const adopters = Array.from({ length: random.chance(40) ? 2 : 1 }, () => ({
    client: random.below(clientCount),
    afterMs: afterMs + random.oneOf([0, 0, 1, 20]),
  }));
  return { ...session, adopters };
}

/**
 * Some of them steal; of the others, some read, some stand for election, some want a permit, some join a lock of their
 * own, and some give theirs away.
 */
function withSteals(
  random: Random,
  sessions: readonly Session[],
  { clientCount }: About,
): Session[] {
  const permits = random.oneOf([1, 2, 3]);
  return sessions.map((session) => {
    if (random.chance(25)) return { ...session, steal: true };
    if (random.chance(25)) return { ...session, mode: "shared" };
    if (random.chance(15)) return { ...session, termCount: random.between(1, 4) };
    if (random.chance(20)) return { ...session, permits };
    if (random.chance(20)) return { ...session, joinCount: random.between(1, 3) };
    return random.chance(20) ? givenAway(random, session, clientCount) : session;
  });
}

/** Some of them force the release of any lock, of any kind. */
function withOperators(random: Random, sessions: readonly Session[], about: About): Session[] {
  const held = sessions.map((session): Session => {
    if (random.chance(30)) return { ...session, isForce: true };
    return random.chance(70) ? { ...session, release: "atEnd", extendCount: 20 } : session;
  });
  const make = random.oneOf(kindsToEnd(about.layout));
  if (make === undefined) return held;
  const made = make(random, held, about);
  // An operator names one name and nothing else.
  return made.map((session, index) => {
    const operator = held[index];
    return operator?.isForce === true ? { ...operator, name: session.name } : session;
  });
}

/** Plain mutexes if undefined. The layouts of other libraries support fewer kinds. */
function kindsToEnd(layout: LockSettings["layout"]): readonly (Kind["apply"] | undefined)[] {
  if (layout === "redisson") return [undefined, withOwners];
  if (layout !== undefined) return [undefined];
  return [undefined, undefined, withReaders, withSets, withOwners, withPermits];
}

/**
 * Some clients want many names in one tick, some of them without waiting, while others also want a few of these
 * names.
 */
function withBursts(random: Random, sessions: readonly Session[]): Session[] {
  const bursts = sessions.filter(() => random.chance(25)).slice(0, 3);
  const many = bursts.flatMap((first) =>
    Array.from({ length: random.between(10, 40) }, (_, index): Session => ({
      ...first,
      name: `n${index}`,
      waitMs: random.chance(30) ? 0 : random.between(100, 3_000),
      holdMs: random.between(1, 50),
      writeCount: random.below(2),
      extendCount: 0,
      abortAfterMs: random.chance(5) ? random.between(1, 200) : undefined,
      release: "once",
    })),
  );
  const others = sessions.map((session) =>
    random.chance(40) ? { ...session, name: `n${random.below(10)}` } : session,
  );
  return [...others, ...many].toSorted((a, b) => a.atMs - b.atMs);
}

/** A kind of lock, which several requests of one client want at about the same time. */
function withCompany(random: Random, sessions: readonly Session[]): Session[] {
  const make = random.oneOf([undefined, undefined, withReaders, withSets, withOwners, withPermits]);
  const all = sessions.flatMap((session) => {
    const others = Array.from({ length: random.between(0, 3) }, (): Session => ({
      ...session,
      atMs: session.atMs + random.below(300),
      waitMs: random.between(50, 3_000),
      holdMs: random.between(1, 300),
      extendCount: 0,
      release: "once",
    }));
    return [session, ...others];
  });
  const inOrder = all.toSorted((a, b) => a.atMs - b.atMs);
  return make === undefined ? inOrder : make(random, inOrder);
}

/** Few clients hold and want many names for long: exclusively, as readers, or for a permit. */
function withPlaces(
  random: Random,
  sessions: readonly Session[],
  { clientCount, chaosMs }: About,
): Session[] {
  const [count, permits] = [random.between(2, 8), random.between(1, 3)];
  const all = sessions.flatMap((session) => {
    const { atMs } = session;
    const others = Array.from({ length: random.between(1, 3) }, (): Session => ({
      ...session,
      atMs: atMs + random.below(2_000),
      client: random.below(clientCount),
    }));
    return [session, ...others];
  });
  return all
    .map((session): Session => {
      const at = random.below(count);
      const base: Session = {
        ...session,
        name: `n${at}`,
        // Nobody waits longer beyond the end than in other profiles.
        waitMs: Math.min(
          random.chance(15) ? session.waitMs : random.between(2_000, 15_000),
          Math.max(0, chaosMs + 3_000 - session.atMs),
        ),
        holdMs: random.chance(40) ? random.between(2_000, 9_000) : session.holdMs,
        abortAfterMs: random.chance(20) ? random.between(1, 8_000) : undefined,
        extendCount: 0,
      };
      // Every third name is a semaphore.
      if (at % 3 === 2) return { ...base, permits };
      return random.chance(40) ? { ...base, mode: "shared" } : base;
    })
    .toSorted((a, b) => a.atMs - b.atMs);
}
