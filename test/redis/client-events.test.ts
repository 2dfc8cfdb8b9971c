import { expect } from "chai";
import { EventEmitter } from "node:events";
import type { ConnectionFailure, HandshakeReply } from "../../src/channel/transport.js";
import { answerHandshake, connectOnce } from "../../src/redis/client-events.js";
import { settle } from "../support/manual-clock.js";

/** Emits what the test says, as a client of ioredis would. */
class ScriptedClient extends EventEmitter {
  connectCount = 0;
  readonly isCluster: boolean;

  constructor(isCluster: boolean) {
    super();
    this.isCluster = isCluster;
  }

  connect(): Promise<never> {
    this.connectCount++;
    return Promise.reject(new Error("Connection is closed."));
  }
}

type Step = "connect" | "ready" | "end" | readonly ["error" | "sentinelError", Error];

/** What is reported of a client with these events. */
function reportOf(steps: readonly Step[], isCluster = false): (string | ConnectionFailure)[] {
  const report: (string | ConnectionFailure)[] = [];
  const client = new ScriptedClient(isCluster);
  connectOnce(client, {
    onOpen: () => report.push("open"),
    onClose: (failure) => report.push(failure),
  });
  expect(client.connectCount).to.equal(1);
  for (const step of steps) {
    if (typeof step === "string") client.emit(step);
    else client.emit(...step);
  }
  return report;
}

const error = (message: string, code?: string): Step => [
  "error",
  Object.assign(new Error(message), code === undefined ? {} : { code }),
];
const sentinelError = (message: string): Step => ["sentinelError", new Error(message)];

const REFUSED = error("connect ECONNREFUSED", "ECONNREFUSED");
const RESET = error("read ECONNRESET", "ECONNRESET");
const BROKEN_PIPE = error("write EPIPE", "EPIPE");
const DENIED = error("WRONGPASS invalid username-password pair or user is disabled.");
const NO_MASTER = (sentinel: string): Step =>
  sentinelError(`connected to sentinel ${sentinel} successfully, but got an invalid reply: null`);
const DOWN = sentinelError("failed to connect to sentinel a:26379 because connect ECONNREFUSED");
const ALL_ASKED = error("All sentinels are unreachable and retry is disabled.");
const ALL_DOWN = error(
  "All sentinels are unreachable and retry is disabled. Last error: connect ECONNREFUSED",
);

const CLOSED = "the connection was closed";
const UNANSWERED =
  "the server closed the connection without an answer, as one does that expects TLS (rediss://) or has no connection left (maxclients)";
const unknownAt = (sentinel: string): string =>
  `the Sentinel at ${sentinel} knows no master of that name: check \`name\``;

describe("connectOnce", () => {
  for (const { title, steps, message, isMisconfigured = false } of [
    { title: "nobody says why", steps: [], message: CLOSED },
    { title: "the address refuses it", steps: [REFUSED], message: "connect ECONNREFUSED" },
    {
      title: "the last of several errors counts",
      steps: [RESET, REFUSED],
      message: "connect ECONNREFUSED",
    },
    { title: "the server says nothing", steps: ["connect"], message: UNANSWERED },
    { title: "the server resets it unanswered", steps: ["connect", RESET], message: UNANSWERED },
    {
      title: "the server closes it while we write",
      steps: ["connect", BROKEN_PIPE],
      message: UNANSWERED,
    },
    {
      title: "the server answers with an error",
      steps: ["connect", DENIED],
      message: "WRONGPASS invalid username-password pair or user is disabled",
      isMisconfigured: true,
    },
    {
      title: "the server answers with an error, and resets it",
      steps: ["connect", DENIED, RESET],
      message: "WRONGPASS invalid username-password pair or user is disabled",
      isMisconfigured: true,
    },
    { title: "an address resets it", steps: [RESET], message: "read ECONNRESET" },
    {
      title: "no Sentinel answers",
      steps: [DOWN, ALL_DOWN],
      message: "no Sentinel named a master: connect ECONNREFUSED",
    },
    {
      title: "a Sentinel knows no such master",
      steps: [NO_MASTER("a:26379"), ALL_ASKED],
      message: unknownAt("a:26379"),
      isMisconfigured: true,
    },
    {
      title: "one Sentinel knows no such master, and the others are down",
      steps: [DOWN, NO_MASTER("b:26379"), DOWN, ALL_DOWN],
      message: unknownAt("b:26379"),
      isMisconfigured: true,
    },
    {
      title: "several Sentinels know no such master",
      steps: [NO_MASTER("a:26379"), NO_MASTER("b:26379"), ALL_ASKED],
      message: unknownAt("b:26379"),
      isMisconfigured: true,
    },
    {
      title: "a Sentinel knows no such master, and that of another refuses",
      steps: [NO_MASTER("a:26379"), REFUSED],
      message: "connect ECONNREFUSED",
    },
    {
      title: "a Sentinel knows no such master, and that of another asks for a password",
      steps: [NO_MASTER("a:26379"), "connect", DENIED],
      message: "WRONGPASS invalid username-password pair or user is disabled",
      isMisconfigured: true,
    },
  ] as const) {
    it(`reports once that it did not open: ${title}`, () => {
      expect(reportOf([...steps, "end"])).to.deep.equal([{ message, isMisconfigured }]);
    });
  }

  for (const { title, steps, message } of [
    { title: "nobody says why", steps: [], message: CLOSED },
    { title: "the server resets it", steps: [RESET], message: "read ECONNRESET" },
    { title: "the network ends it", steps: [BROKEN_PIPE], message: "write EPIPE" },
  ]) {
    it(`reports the end of one that was open: ${title}`, () => {
      expect(reportOf(["connect", "ready", ...steps, "end"])).to.deep.equal([
        "open",
        { message, isMisconfigured: false },
      ]);
    });
  }

  it("says of a Cluster whose members have answered that it is not ready, as nobody says it", () => {
    const [failure] = reportOf(["connect", "end"], true);
    expect(failure).to.have.property("message").that.includes("cluster_state:fail");
    const [refused] = reportOf(["connect", REFUSED, "end"], true);
    expect(refused).to.have.property("message", "connect ECONNREFUSED");
  });

  it("reports that an open one has ended when it has, and no error before", () => {
    expect(reportOf(["connect", "ready", RESET])).to.deep.equal(["open"]);
    expect(reportOf(["connect", DENIED])).to.deep.equal([]);
  });
});

describe("answerHandshake", () => {
  const ANSWER: HandshakeReply = {
    kind: "failed",
    failure: { message: "of the server", isMisconfigured: false },
  };

  for (const { title, handshake, replies } of [
    { title: "passes the answer on", handshake: () => Promise.resolve(ANSWER), replies: [ANSWER] },
    {
      title: "makes an answer of an error",
      handshake: () => Promise.reject(new Error("NOPERM no permissions to run the 'eval' command")),
      replies: [
        {
          kind: "failed",
          failure: {
            message: "NOPERM no permissions to run the 'eval' command: add +eval to its ACL",
            isMisconfigured: true,
          },
        },
      ],
    },
    {
      title: "leaves the end of the connection to its own event",
      handshake: () => Promise.reject(new Error("Connection is closed.")),
      replies: [],
    },
  ]) {
    it(title, async () => {
      const told: HandshakeReply[] = [];
      answerHandshake(handshake, (reply) => told.push(reply));
      expect(told, "not before the call returns").to.deep.equal([]);
      await settle();
      expect(told).to.deep.equal(replies);
    });
  }
});
