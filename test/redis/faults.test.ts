import { expect } from "chai";
import {
  connectionFailure,
  faultMessage,
  isConnectionClosed,
  isExecuted,
  isNoScript,
} from "../../src/redis/faults.js";

describe("connectionFailure", () => {
  for (const [message, isMisconfigured] of [
    ["WRONGPASS invalid username-password pair or user is disabled.", true],
    ["NOAUTH Authentication required.", true],
    ["NOPERM User app has no permissions to run the 'eval' command", true],
    ["ERR AUTH <password> called without any password configured for the default user.", true],
    ["ERR invalid password", true],
    ["ERR DB index is out of range", true],
    ["ERR User app can't run this command", true],
    ["DENIED Redis is running in protected mode", true],
    ["self-signed certificate in certificate chain", true],
    ["certificate has expired", true],
    ["connect ECONNREFUSED 127.0.0.1:6379", false],
    ["getaddrinfo ENOTFOUND redis-a", false],
    ["connect ETIMEDOUT", false],
    ["LOADING Redis is loading the dataset in memory", false],
    ["ERR max number of clients reached", false],
  ] as const) {
    it(`takes "${message}" for ${isMisconfigured ? "a misconfiguration" : "a passing failure"}`, () => {
      expect(connectionFailure(new Error(message))).to.deep.equal({ message, isMisconfigured });
    });
  }
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

describe("faultMessage", () => {
  it("is one line of text for anything that can be thrown", () => {
    expect(faultMessage(new Error("OOM"))).to.equal("OOM");
    expect(faultMessage("text")).to.equal("text");
    expect(faultMessage(undefined)).to.equal("undefined");
  });
});
