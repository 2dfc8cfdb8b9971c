import { expect } from "chai";
import { createHash } from "node:crypto";
import { RedisError } from "../../src/memory/errors.js";
import { MemoryRedis } from "../../src/memory/memory-redis.js";
import type { Reply } from "../../src/memory/reply.js";

function answer(redis: MemoryRedis, ...argv: string[]): Reply | { readonly error: string } {
  try {
    return redis.execute(argv);
  } catch (error) {
    if (error instanceof RedisError) return { error: error.message };
    throw error;
  }
}

function sha1(bytes: Buffer): string {
  return createHash("sha1").update(bytes).digest("hex");
}

describe("a Redis in memory", () => {
  it("knows a script by its SHA once it has run it, until they are flushed", () => {
    const redis = new MemoryRedis();
    const sha = "e0e1f9fabfc9d4800c877a703b823ac0578ff8db";
    const unknown = { error: "NOSCRIPT No matching script. Please use EVAL." };
    expect(answer(redis, "EVALSHA", sha, "0")).to.deep.equal(unknown);
    expect(answer(redis, "EVAL", "return 1", "0")).to.equal(1);
    expect(answer(redis, "EVALSHA", sha.toUpperCase(), "0")).to.equal(1);
    expect(answer(new MemoryRedis(), "EVALSHA", sha, "0"), "another").to.deep.equal(unknown);
    redis.execute(["SCRIPT", "FLUSH"]);
    expect(answer(redis, "EVALSHA", sha, "0")).to.deep.equal(unknown);
    expect(answer(redis, "SCRIPT", "LOAD", "return 1")).to.equal(sha);
  });

  it("gives a script its keys and arguments, and only as many keys as there are", () => {
    const redis = new MemoryRedis();
    const script = "return { #KEYS, #ARGV, KEYS[1], ARGV[1] }";
    expect(answer(redis, "EVAL", script, "1", "k", "a", "b")).to.deep.equal([1, 2, "k", "a"]);
    expect(answer(redis, "EVAL", script, "3", "k", "a")).to.have.property("error");
    expect(answer(redis, "EVAL", script, "-1", "k", "a")).to.have.property("error");
    expect(answer(redis, "EVAL", script)).to.have.property("error");
  });

  it("lets the clock stand still while a script runs", () => {
    let nowUs = 1_700_000_000_000_000;
    const redis = new MemoryRedis({ nowUs: () => nowUs++ });
    const script = "local a, b = redis.call('TIME'), redis.call('TIME') return a[2] == b[2]";
    expect(redis.execute(["EVAL", script, "0"])).to.equal(1);
    const [one, two] = [redis.execute(["TIME"]), redis.execute(["TIME"])];
    expect(one).to.not.deep.equal(two);
  });

  it("tells a script of what failed, and goes on or not as the script has it", () => {
    const redis = new MemoryRedis();
    redis.execute(["SET", "k", "v"]);
    const failing = "('HGET', 'k', 'f') redis.call('SET', 'k', 'w') return redis.call('GET', 'k')";
    const error = "WRONGTYPE Operation against a key holding the wrong kind of value";
    expect(answer(redis, "EVAL", `redis.call${failing}`, "0")).to.deep.equal({ error });
    expect(answer(redis, "GET", "k")).to.equal("v");
    expect(answer(redis, "EVAL", `redis.pcall${failing}`, "0")).to.equal("w");
  });

  const UNLIKE: readonly [title: string, script: string][] = [
    ["sets a global", "x = 1"],
    ["reads a global that is not there", "return x"],
    ["is not Lua", "return ("],
    ["calls no command", "return redis.call()"],
    ["calls one that is for clients", "return redis.call('EVAL', 'return 1', '0')"],
    ["passes a table", "return redis.call('GET', {})"],
    ["fails", "error('no')"],
    ["wants a file", "return dofile('x')"],
    ["wants randomness", "return math.random()"],
  ];
  for (const [title, script] of UNLIKE) {
    it(`refuses a script that ${title}, and goes on`, () => {
      const redis = new MemoryRedis();
      expect(answer(redis, "EVAL", script, "0"))
        .to.have.property("error")
        .that.match(/^ERR /);
      expect(answer(redis, "EVAL", "return 7", "0")).to.equal(7);
    });
  }

  it("runs a script of many calls, with long texts", () => {
    const redis = new MemoryRedis();
    const long = "ä".repeat(300_000);
    const script = `
      for n = 1, 200 do redis.call('SET', KEYS[1], ARGV[1] .. n) end
      return redis.call('GET', KEYS[1])`;
    const reply = redis.execute(["EVAL", script, "1", "k", long]);
    expect(reply).to.equal(`${long}200`);
  });

  it("ends a run with what its listener has thrown, whatever the script makes of it", () => {
    const redis = new MemoryRedis();
    redis.subscribe("news", () => {
      throw new RangeError("mine");
    });
    const script = "redis.pcall('PUBLISH', 'news', '') return 1";
    expect(() => redis.execute(["EVAL", script, "0"])).to.throw(RangeError, "mine");
    expect(redis.execute(["EVAL", "return 1", "0"])).to.equal(1);
  });

  it("denies commands, to clients and to scripts", () => {
    const redis = new MemoryRedis();
    redis.denied.add("GET");
    expect(answer(redis, "GET", "k"))
      .to.have.property("error")
      .that.match(/^NOPERM /);
    const script = "return redis.pcall('get', 'k').err";
    expect(answer(redis, "EVAL", script, "0")).to.match(/^NOPERM /);
    expect(answer(redis, "EXISTS", "k")).to.equal(0);
  });

  it("tells scripts what they may call, from Redis 7 on", () => {
    const redis = new MemoryRedis();
    redis.denied.add("GET");
    const check = (name: string): string => `return redis.acl_check_cmd('${name}', 'k')`;
    expect(answer(redis, "EVAL", check("GET"), "0")).to.equal(null);
    expect(answer(redis, "EVAL", check("EVALSHA"), "0")).to.equal(1);
    expect(answer(redis, "EVAL", check("NONE"), "0")).to.have.property("error");
    const isThere = "return type(redis.acl_check_cmd)";
    for (const version of [
      [7, 0],
      [6, 2],
      [7, 2],
    ] as const) {
      const type = version[0] < 7 ? "nil" : "function";
      expect(answer(new MemoryRedis({ version }), "EVAL", isThere, "0")).to.equal(type);
    }
  });

  it("hashes bytes for scripts, and one text at a time", () => {
    const redis = new MemoryRedis();
    const hashed = (args: string): unknown =>
      answer(redis, "EVAL", `return redis.sha1hex(${args})`, "0");
    expect(hashed("'abc'")).to.equal("a9993e364706816aba3e25717850c26c9cd0d89d");
    expect(hashed("''")).to.equal("da39a3ee5e6b4b0d3255bfef95601890afd80709");
    expect(hashed("'\\255'"), "a byte, not a character").to.equal(sha1(Buffer.from([255])));
    expect(hashed("12"), "a number").to.equal(sha1(Buffer.from("12")));
    for (const args of ["", "'a', 'b'"]) {
      expect(hashed(args)).to.have.property("error").that.includes("wrong number of arguments");
    }
  });

  it("says who it is", () => {
    const redis = new MemoryRedis({ about: { run_id: "abc", role: "slave" }, version: [6, 2] });
    const all = redis.execute(["INFO"]) as string;
    const lines = ["redis_version:6.2.0", "run_id:abc", "role:slave", "maxmemory:0"];
    expect(all.split("\r\n")).to.include.members([...lines, "maxmemory_policy:noeviction"]);
    expect(redis.execute(["INFO", "memory"])).to.not.include("run_id");
  });

  it("refuses options that came after its version", () => {
    const old = new MemoryRedis({ version: [6, 0] });
    expect(answer(old, "PEXPIRE", "k", "1", "GT")).to.have.property("error");
  });
});

describe("a connection to a Redis in memory", () => {
  it("is known by its id and its name, and killed by another", () => {
    const redis = new MemoryRedis();
    let closed = 0;
    const [one, two] = [redis.connect({ onClose: () => closed++ }), redis.connect()];
    const id = one.execute(["CLIENT", "ID"]) as number;
    expect(id).to.not.equal(two.execute(["CLIENT", "ID"]));
    expect(two.execute(["CLIENT", "LIST", "ID", String(id)])).to.equal(`id=${id} name=\n`);
    one.execute(["CLIENT", "SETNAME", "quorate-1"]);
    expect(two.execute(["CLIENT", "LIST", "ID", String(id)])).to.equal(`id=${id} name=quorate-1\n`);
    expect(two.execute(["CLIENT", "LIST", "ID", "99"])).to.equal("");
    expect(one.execute(["CLIENT", "KILL", "ID", String(id)]), "itself").to.equal(0);
    expect(two.execute(["CLIENT", "KILL", "ID", String(id)])).to.equal(1);
    expect(two.execute(["CLIENT", "KILL", "ID", String(id)])).to.equal(0);
    expect(closed).to.equal(1);
    expect(() => one.execute(["GET", "k"])).to.throw("closed");
    redis.disconnectAll();
    expect(two.isOpen).to.equal(false);
  });

  it("hears what is published while it listens", () => {
    const redis = new MemoryRedis();
    const heard: string[] = [];
    const onMessage = (channel: string, message: string): void => {
      heard.push(`${channel} ${message}`);
    };
    const [one, two] = [redis.connect({ onMessage }), redis.connect()];
    one.execute(["SUBSCRIBE", "a", "b"]);
    const counts = [redis.execute(["PUBLISH", "a", "1"]), two.execute(["PUBLISH", "c", "2"])];
    expect(redis.execute(["PUBSUB", "NUMSUB", "a", "c"])).to.deep.equal(["a", 1, "c", 0]);
    one.execute(["UNSUBSCRIBE", "a"]);
    counts.push(two.execute(["PUBLISH", "a", "3"]), two.execute(["PUBLISH", "b", "4"]));
    one.close();
    counts.push(two.execute(["PUBLISH", "b", "5"]));
    expect(heard).to.deep.equal(["a 1", "b 4"]);
    expect(counts).to.deep.equal([1, 0, 0, 1, 0]);
  });
});
