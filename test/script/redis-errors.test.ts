import { expect } from "chai";
import {
  connectionFailure,
  errorReply,
  isConnectionClosed,
  isExecuted,
  isNoScript,
  isOfClusterMember,
  operationFault,
} from "../../src/script/redis-errors.js";

/** What servers answer, word by word, and what is made of it. */
const WORDINGS: readonly (readonly [said: string, message: RegExp])[] = [
  // Redis 6.2
  ["NOPERM this user has no permissions to run the 'info' command or its subcommand", /\+info\b/],
  [
    "ERR CLIENT|KILL failed: NOPERM this user has no permissions to run the 'client' command or its subcommand",
    /\+client\|kill/,
  ],
  [
    "ERR INFO failed: @user_script: 1: The user executing the script can't run this command or subcommand",
    /^ERR INFO failed: The user .*\+info/,
  ],
  [
    "ERR Error running script (call to f_4d): @user_script:1: @user_script: 1: The user executing the script can't run this command or subcommand",
    /docs\/operate\/permissions\.md/,
  ],
  [
    "ERR Error running script (call to f_f2): @user_script:1: @user_script: 1: The user executing the script can't access at least one of the keys mentioned in the command arguments",
    /~quorate:\*/,
  ],
  [
    "ERR unknown command `FOO`, with args beginning with: `x`, `y`, ",
    /unknown command `FOO`: .* FOO/,
  ],
  ["ERR EVAL failed: Unknown Redis command called from Lua script", /does not have EVAL/],
  // Redis 7.0
  ["NOPERM this user has no permissions to run the 'client|kill' command", /\+client\|kill/],
  [
    "NOPERM this user has no permissions to access one of the keys used as arguments",
    /~quorate:\*/,
  ],
  [
    "NOPERM this user has no permissions to access one of the channels used as arguments",
    /&quorate/,
  ],
  [
    "ERR HSET failed: ERR The user executing the script can't run this command or subcommand",
    /\+hset/,
  ],
  [
    "ERR The user executing the script can't run this command or subcommand script: 4df0, on @user_script:1.",
    /subcommand: .*docs\/operate\/permissions\.md/,
  ],
  [
    "ERR unknown command 'eval', with args beginning with: 'local secret' '1' ",
    /does not have EVAL/,
  ],
  ["ERR unknown subcommand 'KILL'. Try CLIENT HELP.", /does not have KILL/],
  [
    "ERR HMGET failed: WRONGTYPE Operation against a key holding the wrong kind of value",
    /kind of value: quorate:incarnation is no hash; .*DEL/,
  ],
  ["ERR TIME failed: ERR Unknown Redis command called from script", /does not have TIME/],
  // Redis 7.2 to 8, Valkey 8
  ["NOPERM User quorate has no permissions to run the 'client|kill' command", /\+client\|kill/],
  ["NOPERM No permissions to access a key", /~quorate:\*/],
  [
    "ERR INFO failed: ERR ACL failure in script: User quorate has no permissions to run the 'info' command",
    /^User quorate has no permissions to run the 'info' command: add \+info to its ACL$/,
  ],
  [
    "ERR ACL failure in script: User quorate has no permissions to run the 'set' command script: 4df0, on @user_script:12.",
    /'set' command: add \+set/,
  ],
  [
    "ERR ACL failure in script: No permissions to access a key script: f2e0, on @user_script:1.",
    /^No permissions to access a key: the user needs ~quorate:\*/,
  ],
  ["ERR Unknown command called from script script: 98, on @user_script:1.", /lacks a command/],
  // All of them, and the libraries below
  [
    "All sentinels are unreachable and retry is disabled. Last error: ERR No such master with that name",
    /^no Sentinel named a master: ERR No such master with that name: check `name`/,
  ],
  ["WRONGPASS invalid username-password pair or user is disabled.", /WRONGPASS/],
  ["NOAUTH Authentication required.", /^NOAUTH: .*redis:\/\/:password@host$/],
  [
    "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time",
    /^NOAUTH: the server asks for a password, as in redis:\/\/:password@host$/,
  ],
  ["ERR AUTH <password> called without any password configured for the default user.", /ERR AUTH/],
  ["ERR invalid password", /invalid password/],
  ["ERR DB index is out of range", /DB index/],
  ["DENIED Redis is running in protected mode", /DENIED .*: set a password \(requirepass\)/],
  // The latter is all that a URL leaves: on the command line, say.
  ["self-signed certificate in certificate chain", /tls: \{ ca \} \} \} or NODE_EXTRA_CA_CERTS$/],
  ["self signed certificate", /tls: \{ ca \}/],
  ["unable to verify the first certificate", /tls: \{ ca \}/],
  ["certificate has expired", /expired/],
  ["certificate is not yet valid", /not yet valid/],
  ["unsuitable certificate purpose", /purpose/],
  ["unable to get issuer certificate", /issuer/],
  ["error:05800074:x509 certificate routines::key values mismatch", /key values mismatch/],
  [
    "807C:error:0A00045C:SSL routines:ssl3_read_bytes:tlsv13 alert certificate required:../deps/openssl/openssl/ssl/record/rec_layer_s3.c:1605:SSL alert number 116",
    /^tlsv13 alert certificate required: it may want a certificate of the client/,
  ],
  [
    "80:error:0A000418:SSL routines:ssl3_read_bytes:tlsv1 alert unknown ca:x.c:1:",
    /^tlsv1 alert unknown ca: /,
  ],
  [
    "80:error:0A00042E:SSL routines:ssl3_read_bytes:tlsv1 alert protocol version:x.c:1:",
    /protocol version/,
  ],
  ["80C8:error:0A00010B:SSL routines:ssl3_get_record:wrong version number", /does not speak TLS/],
];

describe("connectionFailure", () => {
  for (const [said, message] of WORDINGS) {
    it(`takes "${said}" for a misconfiguration, and says what to do`, () => {
      const failure = connectionFailure(new Error(said));
      expect(failure.isMisconfigured).to.equal(true);
      expect(failure.message).to.match(message);
      expect(failure.message).not.to.match(/secret|user_script|script: [0-9a-f]{2}|args beginning/);
    });
  }

  for (const message of [
    "connect ECONNREFUSED 127.0.0.1:6379",
    "getaddrinfo ENOTFOUND redis-a",
    "connect ETIMEDOUT",
    "LOADING Redis is loading the dataset in memory",
    "ERR max number of clients reached",
    "ERR HSET failed: MISCONF Redis is configured to save RDB snapshots",
    "OOM command not allowed when used memory > 'maxmemory'",
    "BUSY Redis is busy running a script",
  ]) {
    it(`takes "${message}" for a passing failure`, () => {
      expect(connectionFailure(new Error(message))).to.deep.equal({
        message,
        isMisconfigured: false,
      });
    });
  }

  it("says of a Cluster what its members said", () => {
    const lastNodeError = new Error("WRONGPASS invalid username-password pair");
    const error = Object.assign(new Error("Failed to refresh permits cache."), { lastNodeError });
    expect(connectionFailure(error)).to.deep.equal({
      message: lastNodeError.message,
      isMisconfigured: true,
    });
  });

  it("is text for anything that can be thrown", () => {
    for (const thrown of ["text", undefined, null, 5]) {
      expect(connectionFailure(thrown).message).to.equal(String(thrown));
    }
  });
});

describe("operationFault", () => {
  it("is `misconfigured` where waiting changes nothing, and `server` elsewhere", () => {
    expect(operationFault("ERR ACL failure in script: No permissions to access a key")).to.include({
      kind: "fault",
      fault: "misconfigured",
      sent: true,
    });
    expect(operationFault("OOM command not allowed")).to.include({ fault: "server", sent: true });
  });
});

describe("a node that has used up a fence", () => {
  it("is told apart from one that failed, with the remedy", () => {
    const vote = operationFault("FENCE the fence would pass 2^53 - 1");
    expect(vote).to.include({ kind: "fault", fault: "implausible", sent: true });
    expect(vote)
      .to.have.property("message")
      .that.matches(/^the fence would pass 2\^53 - 1: delete the key quorate:incarnation/);
  });
});

describe("isOfClusterMember", () => {
  it("knows what a server alone never says", () => {
    for (const message of ["MOVED 1 a:1", "CLUSTERDOWN Hash slot not served", "CROSSSLOT Keys"]) {
      expect(isOfClusterMember(new Error(message)), message).to.equal(true);
    }
    for (const message of ["ERR MOVED", "MOVEDX", "LOADING"]) {
      expect(isOfClusterMember(new Error(message)), message).to.equal(false);
    }
  });
});

describe("errorReply", () => {
  for (const said of [
    "NOPERM this user has no permissions to access one of the keys used as arguments",
    "NOPERM No permissions to access a key",
  ]) {
    it(`takes "${said}" for one of the operations`, () => {
      const { message } = connectionFailure(new Error(said));
      expect(errorReply(new Error(said))).to.deep.equal({ kind: "forbidden", message });
    });
  }

  it("takes other missing permissions, also those that a script meets, for the whole call", () => {
    for (const said of [
      "NOPERM this user has no permissions to run the 'eval' command",
      "ERR ACL failure in script: No permissions to access a key script: f2e0, on @user_script:1.",
    ])
      expect(errorReply(new Error(said))).to.include({ kind: "error", isMisconfigured: true });
  });
});

describe("isNoScript", () => {
  it("knows the answer of a server that was never sent the script", () => {
    expect(isNoScript(new Error("NOSCRIPT No matching script. Please use EVAL."))).to.equal(true);
    expect(isNoScript(new Error("ERR user_script: NOSCRIPT inside"))).to.equal(false);
  });
});

describe("isConnectionClosed", () => {
  it("tells the connection's end from an answer of the server", () => {
    for (const message of [
      "Connection is closed.",
      "Stream isn't writeable and enableOfflineQueue options is false",
      "Command aborted due to connection close",
      "Reached the max retries per request limit (which is 0).",
    ]) {
      expect(isConnectionClosed(new Error(message)), message).to.equal(true);
    }
    for (const message of ["BUSY Redis is busy running a script.", "OOM command not allowed"]) {
      expect(isConnectionClosed(new Error(message)), message).to.equal(false);
    }
  });
});

describe("isExecuted", () => {
  it("is no only for errors that come before anything of a script has run", () => {
    for (const code of [
      "NOPERM",
      "LOADING",
      "BUSY",
      "MASTERDOWN",
      "CROSSSLOT",
      "MOVED 1 a:1",
      "ASK 1 a:1",
    ]) {
      expect(isExecuted(new Error(`${code} and so on`)), code).to.equal("no");
    }
  });

  it("is unknown for everything else: a timeout is not a no", () => {
    for (const message of [
      "OOM command not allowed when used memory > 'maxmemory'.",
      "ERR Error running script: BUSY inside",
      "UNKILLABLE",
      "socket hang up",
      "",
    ]) {
      expect(isExecuted(new Error(message)), message).to.equal("unknown");
    }
    expect(isExecuted("not an Error")).to.equal("unknown");
  });
});
