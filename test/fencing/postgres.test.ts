import { expect } from "chai";
import * as fc from "fast-check";
import type pg from "pg";
import {
  assertWritten,
  FENCES_SQL,
  fencedUpdate,
  fencedUpsert,
  fenceQuery,
  QuorateError,
  STALE_SQLSTATE,
  StaleTokenError,
  staleOr,
} from "../../src/fencing/index.js";
import { expectFenced, plannedWrites, type PlannedWrite } from "../support/fenced-writes.js";
import { findPostgres, startPostgres, type Postgres } from "../support/postgres.js";
import { eventually, rejectionWith } from "../support/settle.js";

const T = 1_790_000_000_000_000;
const CLIENTS = 3;
const grant = (fencingToken: number, name = "invoice:42") => ({ name, fencingToken });

/** Every version of a row that is committed adds its fence to the row's history. */
const TABLES = `
CREATE TABLE invoices (
  id int PRIMARY KEY, status text, fence bigint NOT NULL DEFAULT 0, history bigint[] NOT NULL DEFAULT '{}'
);
CREATE FUNCTION keep_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN NEW.history = OLD.history || NEW.fence; ELSE NEW.history = ARRAY[NEW.fence]; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER keep_history BEFORE INSERT OR UPDATE ON invoices FOR EACH ROW EXECUTE FUNCTION keep_history();
CREATE TABLE written (at bigserial PRIMARY KEY, token bigint NOT NULL);
CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL);
CREATE SCHEMA "odd ""schema""";
CREATE TABLE "odd ""schema"""."odd table" ("a ""b" int, "c;d" int, "f e" bigint NOT NULL, PRIMARY KEY ("a ""b", "c;d"), e text);
`;

it("a stale token is told of a fence only where that is larger", () => {
  const raised = (fence: number) =>
    staleOr(grant(T), { code: STALE_SQLSTATE, detail: String(fence) });
  expect(raised(T + 1))
    .to.be.instanceOf(StaleTokenError)
    .and.have.property("fence", T + 1);
  expect(raised(T)).to.be.instanceOf(StaleTokenError).and.have.property("fence", undefined);
});

describe("Fences in PostgreSQL", function () {
  let postgres: Postgres;
  let clients: pg.Client[] = [];
  let client: pg.Client;

  before(async function () {
    this.timeout(120_000);
    const bin = findPostgres();
    if (bin === undefined) {
      console.log("skipped: no PostgreSQL (initdb, postgres) on PATH or in /usr/lib/postgresql");
      this.skip();
    }
    postgres = await startPostgres(bin);
    clients = await Promise.all(Array.from({ length: CLIENTS }, () => postgres.connect()));
    client = at(0);
    await client.query(TABLES);
    await client.query(FENCES_SQL);
  });
  after(async () => {
    await Promise.all(clients.map((one) => one.end()));
    await postgres?.stop();
  });

  it("remembers when a fence was lifted last, by which old ones are deleted", async () => {
    const of = async (): Promise<Date> => {
      const { rows } = await client.query<{ lifted_at: Date }>(
        "SELECT lifted_at FROM quorate_fences WHERE resource = 'lifted'",
      );
      return rows[0]?.lifted_at ?? new Date(0);
    };
    await client.query(fenceQuery(grant(T, "lifted")));
    await client.query(
      "UPDATE quorate_fences SET lifted_at = now() - interval '9 days' WHERE resource = 'lifted'",
    );
    const before = await of();
    await client.query(fenceQuery(grant(T + 1, "lifted")));
    expect((await of()).getTime()).to.be.above(before.getTime() + 8 * 86_400_000);
    await client.query("DELETE FROM quorate_fences WHERE resource = 'lifted'");
  });
  beforeEach(() => client.query("TRUNCATE invoices, written, accounts, quorate_fences"));

  const at = (index: number): pg.Client => clients[index] ?? expect.fail("no client");
  const numbers = async (sql: string): Promise<number[]> =>
    (await client.query<{ n: string }>(sql)).rows.map(({ n }) => Number(n));
  const isWaiting = async (): Promise<boolean> => {
    const sql = "SELECT count(*) AS n FROM pg_locks WHERE NOT granted";
    return (await numbers(sql))[0] === 1;
  };
  /** A transaction of the second recipe: the fence first, then the write. */
  const transact = async (one: pg.Client, token: number): Promise<boolean> => {
    await one.query("BEGIN");
    try {
      await one.query(fenceQuery(grant(token)));
      await one.query("INSERT INTO written (token) VALUES ($1)", [token]);
      await one.query("COMMIT");
      return true;
    } catch (error) {
      await one.query("ROLLBACK");
      const stale = staleOr(grant(token), error);
      if (!(stale instanceof StaleTokenError)) throw stale;
      return false;
    }
  };

  /** Queries of one connection wait for each other, so a whole transaction has to. */
  const inTurn = (): ((index: number, run: () => Promise<boolean>) => Promise<boolean>) => {
    const ends = new Map<number, Promise<unknown>>();
    return (index, run) => {
      const end = Promise.resolve(ends.get(index)).then(run);
      ends.set(index, end);
      return end;
    };
  };

  /** Writes of the first recipe: one statement each. */
  const rowWrites = (make: typeof fencedUpdate): ((write: PlannedWrite) => Promise<boolean>) => {
    const turn = inTurn();
    const row = { table: "invoices", key: { id: 42 }, set: { status: "paid" } };
    return ({ token, client: index }) =>
      turn(index, async () => {
        const result = await at(index).query(make(grant(token), row));
        const check = (): void => assertWritten(grant(token), result);
        if (result.rowCount === 0) expect(check).to.throw(StaleTokenError);
        else check();
        return result.rowCount === 1;
      });
  };

  const history = (): Promise<number[]> =>
    numbers("SELECT unnest(history) AS n FROM invoices WHERE id = 42");

  describe("accept tokens that never decrease, whoever writes in whatever order", () => {
    const holds = async (
      reset: () => Promise<unknown>,
      send: () => (write: PlannedWrite) => Promise<boolean>,
      accepted: () => Promise<number[]>,
    ): Promise<void> => {
      const property = fc.asyncProperty(plannedWrites(CLIENTS), async (writes) => {
        await reset();
        await expectFenced(writes, send(), accepted);
      });
      await fc.assert(property, { numRuns: 40 });
    };

    it("in the row that is updated", async () => {
      const reset = () => client.query("TRUNCATE invoices; INSERT INTO invoices (id) VALUES (42)");
      const accepted = async () => (await history()).slice(1); // the first is of the insertion
      await holds(reset, () => rowWrites(fencedUpdate), accepted);
    });

    it("in the row that is inserted or updated", async () => {
      const reset = () => client.query("TRUNCATE invoices");
      await holds(reset, () => rowWrites(fencedUpsert), history);
    });

    it("in the table of fences, for whole transactions", async () => {
      const send = () => {
        const turn = inTurn();
        return (write: PlannedWrite) =>
          turn(write.client, () => transact(at(write.client), write.token));
      };
      const accepted = () => numbers("SELECT token AS n FROM written ORDER BY at");
      await holds(() => client.query("TRUNCATE written, quorate_fences"), send, accepted);
    });
  });

  describe("under two transactions at a time", () => {
    const OLDER = T;
    const NEWER = T + 1;
    const balance = async (): Promise<number | undefined> =>
      (await numbers("SELECT balance AS n FROM accounts"))[0];
    beforeEach(async () => {
      await client.query("INSERT INTO accounts VALUES (1, 100)");
      await client.query("INSERT INTO quorate_fences (resource, fence) VALUES ('account', 1)");
    });

    it("a check by SELECT is passed by both, and the older one overwrites", async () => {
      const [older, newer] = [at(1), at(2)];
      const check = "SELECT fence <= $1 AS ok FROM quorate_fences WHERE resource = 'account'";
      await older.query("BEGIN");
      expect((await older.query(check, [OLDER])).rows).to.deep.equal([{ ok: true }]);
      await newer.query("BEGIN");
      expect((await newer.query(check, [NEWER])).rows).to.deep.equal([{ ok: true }]);
      await newer.query("UPDATE quorate_fences SET fence = $1", [NEWER]);
      await newer.query("UPDATE accounts SET balance = 150");
      await newer.query("COMMIT");
      await older.query("UPDATE accounts SET balance = 70");
      await older.query("COMMIT");
      expect(await balance(), "the update of the newer one is lost").to.equal(70);
    });

    it("an older one that comes second is turned away, with what it wrote before", async () => {
      const [older, newer] = [at(1), at(2)];
      await older.query("BEGIN");
      await older.query("INSERT INTO written (token) VALUES (7)");
      await newer.query("BEGIN");
      await newer.query(fenceQuery(grant(NEWER, "account")));
      const late = older.query(fenceQuery(grant(OLDER, "account")));
      const turnedAway = late.then(
        () => expect.fail("not turned away"),
        (error: unknown) => error,
      );
      await eventually("the older one waits", isWaiting);
      await newer.query("UPDATE accounts SET balance = 150");
      await newer.query("COMMIT");
      const error = staleOr(grant(OLDER, "account"), await turnedAway);
      await older.query("COMMIT"); // which is a rollback, as the transaction has failed
      expect(error).to.be.instanceOf(QuorateError);
      expect(error).to.include({ code: "QUORATE_STALE_TOKEN", fence: NEWER, fencingToken: OLDER });
      expect(await balance()).to.equal(150);
      expect(await numbers("SELECT token AS n FROM written")).to.deep.equal([]);
    });

    it("a newer one that comes second waits, and reads what the older one wrote", async () => {
      const [older, newer] = [at(1), at(2)];
      await older.query("BEGIN");
      await older.query(fenceQuery(grant(OLDER, "account")));
      await newer.query("BEGIN");
      const turn = newer.query(fenceQuery(grant(NEWER, "account")));
      await eventually("the newer one waits", isWaiting);
      await older.query("UPDATE accounts SET balance = 70");
      await older.query("COMMIT");
      await turn;
      const { rows } = await newer.query("SELECT balance FROM accounts");
      await newer.query("COMMIT");
      expect(rows).to.deep.equal([{ balance: 70 }]);
      expect(await transact(older, OLDER), "another resource").to.equal(true);
      const again = older.query(fenceQuery(grant(OLDER, "account")));
      expect(staleOr(grant(OLDER), await again.catch((error: unknown) => error))).to.be.instanceOf(
        StaleTokenError,
      );
    });

    it("a newer one that is rolled back leaves no fence", async () => {
      const newer = at(2);
      await newer.query("BEGIN");
      await newer.query(fenceQuery(grant(NEWER, "account")));
      await newer.query("ROLLBACK");
      await client.query(fenceQuery(grant(OLDER, "account")));
    });

    for (const level of ["REPEATABLE READ", "SERIALIZABLE"]) {
      it(`a transaction at ${level} whose view is too old fails, and writes nothing`, async () => {
        const older = at(1);
        await older.query(`BEGIN ISOLATION LEVEL ${level}`);
        await older.query("SELECT * FROM accounts"); // takes the view
        await client.query(fenceQuery(grant(NEWER, "account")));
        const error = await older.query(fenceQuery(grant(OLDER, "account"))).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        await older.query("ROLLBACK");
        expect(error).to.have.property("code", "40001");
        expect(staleOr(grant(OLDER), error), "no stale token, but to be retried").to.equal(error);
      });
    }
  });

  it("can be set up again, and keep what they hold", async () => {
    await client.query(fenceQuery(grant(T + 1)));
    await client.query(FENCES_SQL);
    expect(await transact(client, T)).to.equal(false);
    expect(await transact(client, T + 1)).to.equal(true);
  });

  for (const [state, before] of [
    ["for the first time", "DROP TABLE quorate_fences; DROP FUNCTION quorate_fence"],
    ["while they exist", "SELECT"],
  ] as const) {
    it(`can be set up by two at once, ${state}`, async () => {
      await client.query(before);
      const [first, second] = [at(1), at(2)];
      await first.query("BEGIN");
      await first.query(FENCES_SQL);
      const late = second.query(FENCES_SQL).then(
        () => "done",
        (error: unknown) => error,
      );
      await eventually("the second one waits", isWaiting);
      await first.query("COMMIT");
      expect(await late).to.equal("done");
      expect(await transact(client, T)).to.equal(true);
    });
  }

  it("can be set up by a tool that sends one statement at a time", async () => {
    // A prepared statement is a single one.
    await client.query({ name: "setup", text: FENCES_SQL });
  });

  it("stand in tables and columns of any name", async () => {
    const row = {
      schema: 'odd "schema"',
      table: "odd table",
      fenceColumn: "f e",
      key: { 'a "b': 1, "c;d": 2 },
      set: { e: "'; DROP TABLE accounts; --" },
    };
    expect((await client.query(fencedUpsert(grant(T), row))).rowCount).to.equal(1);
    expect((await client.query(fencedUpdate(grant(T + 1), row))).rowCount).to.equal(1);
    const late = { ...row, set: { e: "late" } };
    for (const kind of [fencedUpsert, fencedUpdate]) {
      const result = await client.query(kind(grant(T), late));
      const error = await rejectionWith(
        StaleTokenError,
        Promise.resolve().then(() => assertWritten(grant(T), result)),
      );
      expect(error).to.include({ fencingToken: T, fence: undefined, lockName: "invoice:42" });
    }
    const { rows } = await client.query('SELECT * FROM "odd ""schema"""."odd table"');
    const stored = { 'a "b': 1, "c;d": 2, "f e": String(T + 1), e: row.set.e };
    expect(rows).to.deep.equal([stored]);
  });

  it("set null where they are told to", async () => {
    const row = { table: "invoices", key: { id: 42 }, set: { status: null } };
    expect((await client.query(fencedUpsert(grant(T), row))).rowCount).to.equal(1);
  });
});

describe("Queries with a fence", () => {
  const row = { table: "invoices", key: { id: 42 }, set: { status: "paid" } };

  it("are these", () => {
    expect(fencedUpdate(grant(7), row)).to.deep.equal({
      text: 'UPDATE "invoices" SET "status" = $1, "fence" = $3::bigint WHERE "id" = $2 AND "fence" <= $3::bigint',
      values: ["paid", 42, 7],
    });
    expect(fencedUpsert(grant(7), row)).to.deep.equal({
      text:
        'INSERT INTO "invoices" AS stored ("status", "id", "fence") VALUES ($1, $2, $3)' +
        ' ON CONFLICT ("id") DO UPDATE SET "status" = excluded."status", "fence" = excluded."fence"' +
        ' WHERE stored."fence" <= excluded."fence"',
      values: ["paid", 42, 7],
    });
    expect(fenceQuery(grant(7))).to.deep.equal({
      text: "SELECT quorate_fence($1, $2)",
      values: ["invoice:42", 7],
    });
  });

  const ODD: [change: object, kind: ErrorConstructor, message: string][] = [
    [{ table: "" }, RangeError, "`table` must be an SQL name"],
    [{ table: "a\0b" }, RangeError, "`table` must be an SQL name"],
    [{ schema: "" }, RangeError, "`schema` must be an SQL name"],
    [{ fenceColumn: "" }, RangeError, "`fenceColumn` must be an SQL name"],
    [{ key: undefined }, TypeError, "`key` must be an object of columns and values, got undefined"],
    [
      { key: [["id", 42]] },
      TypeError,
      "`key` must be an object of columns and values, got an array",
    ],
    [{ key: "id" }, TypeError, '`key` must be an object of columns and values, got "id"'],
    [{ set: undefined }, TypeError, "`set` must be an object of columns and values, got undefined"],
    [{ key: {} }, RangeError, "`key` must name at least one column"],
    [{ set: {} }, RangeError, "`set` must name at least one column"],
    [{ key: { id: undefined } }, TypeError, "`key.id` must have a value, got undefined"],
    [{ key: { id: null } }, TypeError, "`key.id` must have a value, got null"],
    [{ set: { status: undefined } }, TypeError, "`set.status` must have a value, got undefined"],
    [{ set: { id: 1 } }, RangeError, "`id` is in both `key` and `set`"],
    [{ set: { fence: 1 } }, RangeError, "`set` must not name the fence column `fence`"],
    [{ where: {} }, TypeError, "unknown option `where`"],
  ];
  for (const [change, kind, message] of ODD) {
    it(`are not made where ${message}`, () => {
      for (const make of [fencedUpdate, fencedUpsert]) {
        expect(() => make(grant(7), { ...row, ...change })).to.throw(kind, message);
      }
    });
  }

  it("are not made without a good token", () => {
    for (const make of [fencedUpdate, fencedUpsert, fenceQuery]) {
      const bad = { name: "a", fencingToken: undefined };
      expect(() => make(bad, row)).to.throw(TypeError, "no fencing token");
      expect(() => make(grant(-1), row)).to.throw(RangeError, "`fencingToken`");
    }
  });

  it("are told apart from errors of another kind", () => {
    for (const other of [new Error("x"), { code: "23505" }, undefined, null, "text"]) {
      expect(staleOr(grant(7), other)).to.equal(other);
    }
    const stale = staleOr(grant(7), { code: "QF409", detail: "?" });
    expect(stale).to.be.instanceOf(StaleTokenError).and.to.have.property("fence", undefined);
    for (const rowCount of [null, Number.NaN, "0"] as never[])
      expect(() => assertWritten(grant(7), { rowCount })).to.throw(TypeError, "`rowCount`");
    // Of a driver that does not know.
    expect(() => assertWritten(grant(7), { rowCount: -1 })).to.throw(RangeError, "`rowCount`");
    // One of a row that does not exist changes none either.
    expect(() => assertWritten(grant(7), { rowCount: 0 })).to.throw(
      StaleTokenError,
      /: no row with fencing token 7 or less was found: the token is stale, or there is no such row\. Do not write: acquire the lock again/,
    );
  });
});
