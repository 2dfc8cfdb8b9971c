import { expect } from "chai";
import type { HandshakeRequest } from "../../src/channel/transport.js";
import { bytesOf } from "../../src/memory/bytes.js";
import { MemoryRedis } from "../../src/memory/memory-redis.js";
import { plainReply } from "../../src/memory/reply.js";
import { RECORD_KEY } from "../../src/protocol/keys.js";
import { HANDSHAKE_SCRIPT } from "../../src/script/embedded-lua.js";
import { decodeHandshake, encodeHandshake } from "../../src/script/handshake-codec.js";
import { NO_LIST } from "../support/no-list.js";

/** It writes nothing. */
const REQUEST: HandshakeRequest = {
  ...{ number: 1, connectionName: "quorate-one", previous: undefined, newId: "new" },
  ...{
    ifAbsent: undefined,
    nodeCount: 3,
    maxTtlMs: 60_000,
    firstTtlMs: 60_000,
    clockStepMs: 5_000,
    wallMs: 1,
  },
  ...{ isDurable: false, nodeList: NO_LIST, isLooking: true, order: undefined },
};

function handshake(redis: MemoryRedis, script = HANDSHAKE_SCRIPT) {
  const args = ["EVAL", script, "1", RECORD_KEY, ...encodeHandshake(REQUEST).map(String)];
  return decodeHandshake("1", plainReply(redis.execute(args.map(bytesOf))));
}

/** What every lock needs of a server, and the handshake does not. */
const NEEDED = [
  ...["EVALSHA", "GET", "MGET", "HGET", "SET", "DEL", "PTTL", "PEXPIRE", "EXISTS", "HSET"],
];

describe("The handshake script, before anything is written,", () => {
  for (const command of NEEDED) {
    it(`tells of a user that may not run ${command}`, () => {
      const redis = new MemoryRedis();
      redis.denied.add(command);
      const { problems } = handshake(redis);
      const [denied, ...others] = problems.filter(({ kind }) => kind === "permission");
      expect(denied?.message).to.include(`may not run ${command}: add +${command.toLowerCase()} `);
      expect(others).to.deep.equal([]);
    });
  }

  it("tells of none that locks do not need, and of all that are denied at once", () => {
    const redis = new MemoryRedis();
    for (const command of ["ZADD", "HDEL", "TYPE"]) redis.denied.add(command);
    expect(handshake(redis).problems).to.deep.equal([]);
    for (const command of ["GET", "DEL"]) redis.denied.add(command);
    expect(
      handshake(redis)
        .problems.map(({ message }) => message)
        .join(),
    ).to.include("GET, DEL");
  });

  /** The script on a server whose INFO says that. */
  const where = (info: string): string => `
    local server = redis
    local redis = setmetatable({}, { __index = server })
    redis.pcall = function(name, ...)
      if name == 'INFO' then return '# All\\r\\n${info.replaceAll("\n", "\\r\\n")}\\r\\n' end
      return server.pcall(name, ...)
    end
    ${HANDSHAKE_SCRIPT}`;

  it("finds that keys that were not given to it are refused, with whatever words", () => {
    const refusing = `
      local server = redis
      local redis = setmetatable({}, { __index = server })
      redis.pcall = function(name, ...)
        if string.find(tostring((...)), ':none', 1, true) then return { err = 'ERR bad key' } end
        return server.pcall(name, ...)
      end
      ${HANDSHAKE_SCRIPT}`;
    const { problems } = handshake(new MemoryRedis(), refusing);
    expect(problems.map(({ kind }) => kind)).to.deep.equal(["undeclaredKeys"]);
    // Which is no more than that if the user may not ask at all.
    const redis = new MemoryRedis();
    redis.denied.add("EXISTS");
    expect(handshake(redis).problems.map(({ kind }) => kind)).to.deep.equal(["permission"]);
  });

  const SERVERS: readonly (readonly [info: string, mode: string, problem?: string])[] = [
    ["run_id:a\nrole:master\nredis_mode:standalone", "standalone"],
    ["run_id:a\nrole:master\nserver_mode:standalone", "standalone"],
    ["run_id:a\nrole:master\nredis_mode:cluster", "cluster", "cluster"],
    ["run_id:a\nrole:master\nserver_mode:cluster", "cluster", "cluster"],
    ["run_id:a\nrole:slave\nredis_mode:standalone", "standalone", "replica"],
    ["run_id:a\nrole:slave\nserver_mode:standalone", "standalone", "replica"],
  ];
  for (const [info, mode, problem] of SERVERS) {
    it(`knows a server by ${info.split("\n").slice(1).join(" and ")}: ${problem ?? "it may vote"}`, () => {
      const { capabilities, problems } = handshake(new MemoryRedis(), where(info));
      expect(capabilities.mode).to.equal(mode);
      expect(problems.map(({ kind }) => kind)).to.deep.equal(
        problem === undefined ? [] : [problem],
      );
    });
  }
});
