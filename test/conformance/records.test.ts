import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { HandshakeRequest } from "../../src/channel/transport.js";
import { RECORD_KEY } from "../../src/protocol/keys.js";
import { PROTOCOL_VERSION } from "../../src/protocol/record.js";
import { bareRequest } from "../support/conformance/steps.js";
import { conformance } from "../support/conformance/suite.js";
import type { RedisNode } from "../support/conformance/redis-node.js";

/** Hashes of nodes as real clients left them, by the build before the version was on record. */
const FOLDER = join("test", "conformance", "records");

type Fields = Readonly<Record<string, string>>;

const RECORDS = readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".json"))
  .map((file) => [file, JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Fields] as const);

const LATER = String(PROTOCOL_VERSION + 1);

conformance("a record of another version on a real server", (redis) => {
  const put = async (node: RedisNode, fields: Fields): Promise<void> => {
    await node.forget();
    await node.client.hset(RECORD_KEY, fields);
  };
  const stored = (node: RedisNode): Promise<Fields> => node.client.hgetall(RECORD_KEY);
  const shake = async (node: RedisNode, over: Partial<HandshakeRequest> = {}) => {
    const reply = await node.handshake({ ...bareRequest(), newId: "new", ...over });
    if (reply.kind !== "handshake") throw new Error(reply.failure.message);
    return reply;
  };

  it("is one of every state", () => {
    const states = RECORDS.map(([, { state }]) => state);
    expect(new Set(states)).to.include.keys("fresh", "opening", "open", "forgot", "attested");
  });

  for (const [file, fields] of RECORDS) {
    const ofThisRun = (): Fields => ({ ...fields, runId: redis().runId });

    it(`${file}: is accepted and upgraded, and says what it said`, async () => {
      const before = ofThisRun();
      await put(redis(), before);
      const { record, problems, capabilities } = await shake(redis(), {
        maxTtlMs: 1,
        clockStepMs: 1,
      });
      expect(problems).to.deep.equal([]);
      expect(record).to.include({
        id: fields["id"],
        state: fields["state"],
        fellows: fields["fellows"],
      });
      expect(record).to.deep.include({ version: PROTOCOL_VERSION, capabilities });
      expect(record?.maxTtlMs).to.equal(Number(fields["maxTtlMs"]));
      const { capabilities: words, ...after } = await stored(redis());
      expect(words).to.include("role=master");
      expect(after).to.deep.equal({ ...before, version: String(PROTOCOL_VERSION) });
    });

    it(`${file}: of another run is quarantined as ever`, async () => {
      await put(redis(), fields);
      const { record } = await shake(redis());
      expect(record).to.include({ id: "new", state: "forgot", version: PROTOCOL_VERSION });
      expect(record?.maxTtlMs).to.be.at.least(Number(fields["maxTtlMs"]));
    });

    for (const isThisRun of [true, false]) {
      const where = isThisRun ? "this run" : "another run";
      it(`${file}: of a later version and ${where}, nothing is changed in it`, async () => {
        const later = { ...(isThisRun ? ofThisRun() : fields), version: LATER, more: "x" };
        await put(redis(), later);
        const order = { becomes: "attested", id: fields["id"] ?? "", topFence: 9 } as const;
        const { record, problems } = await shake(redis(), { order, maxTtlMs: 1e9 });
        expect(record).to.equal(undefined);
        expect(problems.map(({ kind }) => kind)).to.deep.equal(["laterRecord"]);
        expect(problems[0]?.message).to.include(`version ${LATER}`);
        expect(await stored(redis())).to.deep.equal(later);
      });
    }
  }

  it("keeps a field that it does not know", async () => {
    const [, fields] = RECORDS.find(([, { state }]) => state === "open") ?? [];
    await put(redis(), { ...fields, runId: redis().runId, later: "ü 1" });
    await shake(redis());
    expect(await stored(redis())).to.include({ later: "ü 1", id: fields?.["id"] });
  });

  for (const [field, text] of [
    ["version", "x"],
    ["maxTtlMs", "a minute"],
    ["maxTtlMs", "nan"],
    ["maxTtlMs", "-1"],
    ["clockStepMs", "inf"],
    ["state", "half-open"],
    ["writtenMs", ""],
  ] as const) {
    it(`is refused as garbage if its ${field} is ${JSON.stringify(text)}, which stays there`, async () => {
      const [, fields] = RECORDS.find(([, { state }]) => state === "open") ?? [];
      await put(redis(), { ...fields, runId: redis().runId, [field]: text });
      const { record, problems } = await shake(redis(), { maxTtlMs: 90_000 });
      expect(record).to.equal(undefined);
      expect(problems[0]).to.include({ kind: "record" });
      expect(problems[0]?.message).to.include(`${field} is ${JSON.stringify(text)}`);
      expect(await stored(redis())).to.include({ [field]: text });
    });
  }
});
