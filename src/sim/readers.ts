import type { HistoryEvent, KeyEvent } from "../check/history.js";
import { OWN_FIELDS, OWNER_PREFIX } from "../protocol/owned.js";
import { fieldsIn, isHash } from "./hash.js";
import { HOLD_FIELD } from "./layouts/owned.js";
import { SHARED } from "./node-steps.js";
import type { KeyChange, SimNode } from "./sim-node.js";
import { membersIn } from "./sorted-set.js";
import type { World } from "./world.js";

/** One who stands beside others in a name. */
interface Member {
  /** The last millisecond of the node in which it does. */
  readonly endsMs: number;
  readonly company: Pick<KeyEvent, "mode" | "owner">;
}

/** Those who stand beside each other in one name on one node. */
interface Company {
  lockText: string | undefined;
  readersText: string | undefined;
  holdsText: string | undefined;
  /** What the history says. */
  told: ReadonlyMap<string, Member>;
}

/**
 * Writes down who reads on the nodes, and who is in for an owner, from what their keys say: one
 * stands there while the lock key says that there are some of its kind, it is in the set or the hash,
 * and its own time is not over. That time runs out whether or not the node has touched them since.
 */
export class Readers {
  readonly #world: World;
  readonly #record: (event: HistoryEvent) => void;
  readonly #names = new Map<string, { node: SimNode; name: string; company: Company }>();

  constructor(world: World, record: (event: HistoryEvent) => void) {
    this.#world = world;
    this.#record = record;
  }

  onLockKey(node: SimNode, name: string, text: string | undefined, by: KeyChange["by"]): void {
    const company = this.#of(node, name);
    company.lockText = text;
    this.#tell(node, name, by);
    if (text !== undefined && isHash(text)) this.#tellCount(node, name, text, by);
  }

  onReadersKey(node: SimNode, name: string, text: string | undefined, by: KeyChange["by"]): void {
    this.#of(node, name).readersText = text;
    this.#tell(node, name, by);
  }

  onHoldsKey(node: SimNode, name: string, text: string | undefined, by: KeyChange["by"]): void {
    this.#of(node, name).holdsText = text;
    this.#tell(node, name, by);
    if (text !== undefined) this.#tellCount(node, name, text, by);
  }

  /** The clock of the node was disturbed: all that was foreseen is void. */
  foreseeAgain(node: SimNode): void {
    for (const { node: other, name, company } of this.#names.values()) {
      if (other !== node) continue;
      this.#tell(node, name, "expire");
      for (const { endsMs } of company.told.values()) this.#watch(node, name, endsMs);
    }
  }

  #of(node: SimNode, name: string): Company {
    const where = `${node.index} ${name}`;
    let found = this.#names.get(where);
    if (found === undefined) {
      const company = {
        lockText: undefined,
        readersText: undefined,
        holdsText: undefined,
        told: new Map<string, Member>(),
      };
      found = { node, name, company };
      this.#names.set(where, found);
    }
    return found.company;
  }

  #tell(node: SimNode, name: string, by: KeyChange["by"]): void {
    const company = this.#of(node, name);
    const { nowMs } = node;
    const standing = new Map([...membersOf(company)].filter(([, { endsMs }]) => endsMs >= nowMs));
    const { told } = company;
    company.told = standing;
    for (const [ownerId, member] of told) {
      if (standing.has(ownerId)) continue;
      const why = member.endsMs < nowMs ? "expire" : by;
      this.#write(node, name, ownerId, undefined, why, member);
    }
    for (const [ownerId, member] of standing) {
      const before = told.get(ownerId);
      if (before?.endsMs === member.endsMs) continue;
      this.#write(node, name, before === undefined ? undefined : ownerId, ownerId, by, member);
      this.#watch(node, name, member.endsMs);
    }
  }

  /** After a step of its own: what has run out since is counted until the next. */
  #tellCount(node: SimNode, name: string, text: string, by: KeyChange["by"]): void {
    const owner = ownerIn(this.#of(node, name));
    const fields = fieldsIn(text);
    const isNameless = fields.has(HOLD_FIELD + owner);
    if (typeof by !== "object" || owner === undefined || isNameless) return;
    const count = Number(fields.get(owner) ?? 0);
    this.#record({ kind: "count", atUs: this.#world.nowUs, node: node.index, name, owner, count });
  }

  #write(
    node: SimNode,
    name: string,
    before: string | undefined,
    after: string | undefined,
    by: KeyChange["by"],
    { endsMs, company }: Member,
  ): void {
    const isOperation = typeof by === "object";
    const event: KeyEvent = {
      kind: "key",
      atUs: this.#world.nowUs,
      node: node.index,
      name,
      ...company,
      before,
      after,
      by: isOperation ? by.ownerId : undefined,
      op: isOperation ? by.kind : by,
      deadUs: after === undefined ? this.#world.nowUs : deadAtUs(node, endsMs),
    };
    this.#record(event);
  }

  #watch(node: SimNode, name: string, endsMs: number): void {
    this.#world.at(deadAtUs(node, endsMs), () => this.#tell(node, name, "expire"));
  }
}

function membersOf(company: Company): Map<string, Member> {
  const { lockText, readersText, holdsText } = company;
  if (lockText === SHARED) {
    const readers = membersIn(readersText);
    return new Map(
      readers.map(({ member, score }) => [member, { endsMs: score, company: { mode: "shared" } }]),
    );
  }
  const owner = ownerIn(company);
  const members = new Map<string, Member>();
  if (owner === undefined) return members;
  for (const [field, value] of fieldsIn(isHash(lockText ?? "") ? lockText : holdsText)) {
    if (!field.startsWith(HOLD_FIELD)) continue;
    const ownerId = field.slice(HOLD_FIELD.length);
    // Who has no name is an owner of its own, like whoever has a plain lock.
    const isNameless = ownerId === owner;
    members.set(ownerId, { endsMs: Number(value), company: isNameless ? {} : { owner } });
  }
  return members;
}

/** Whose holds there are. */
function ownerIn({ lockText }: Company): string | undefined {
  if (lockText?.startsWith(OWNER_PREFIX) === true) return lockText.slice(OWNER_PREFIX.length);
  if (lockText === undefined || !isHash(lockText)) return undefined;
  return [...fieldsIn(lockText).keys()].find((field) => !field.startsWith(OWN_FIELDS));
}

/** One stands there through the whole of its last millisecond. */
function deadAtUs(node: SimNode, endsMs: number): number {
  return node.clock.trueAt((endsMs + 1) * 1_000);
}
