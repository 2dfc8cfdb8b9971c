import { expect } from "chai";
import {
  RedisContainer,
  RedisFleet,
  RedisProcess,
  TcpLink,
  type FleetNode,
  type ServerClock,
} from "../../src/testing/index.js";
import { at } from "../support/nodes.js";
import { rejectionOf } from "../support/settle.js";

type Kind = typeof TypeError | typeof RangeError;
/** Arguments, the class of what is thrown, and what it has to say. */
type Row = readonly [args: unknown, kind: Kind, ...says: readonly string[]];

const MAX_MS = "2147483647";

const SERVER: readonly Row[] = [
  [{ appendOnly: true }, TypeError, "unknown option `appendOnly`: did you mean `appendonly`?"],
  [{ appendonly: "yes" }, TypeError, "`appendonly` must be a boolean", '"yes"'],
  [{ appendfsync: "sometimes" }, RangeError, "`appendfsync`", '"always", "everysec", "no"'],
  [{ requirepass: 7 }, TypeError, "`requirepass` must be a string, got 7"],
  [{ users: "app on" }, TypeError, "`users` must be an array of strings", '"app on"'],
  [{ users: ["a", 7] }, TypeError, "`users[1]` must be a string, got 7"],
  [{ cluster: 1 }, TypeError, "`cluster` must be a boolean, got 1"],
  [{ clock: "yes" }, TypeError, "`clock` must be a boolean"],
  [{ extraArgs: "--save" }, TypeError, "`extraArgs` must be an array of strings"],
  [{ tls: true }, TypeError, "`tls` must be an object, got true"],
  [{ tls: { cert: "x" } }, TypeError, "`tls.key` must be a string, got undefined"],
  [{ tls: { crt: "x" } }, TypeError, "unknown option `tls.crt`: did you mean `tls.cert`?"],
  [{ commandAuth: { username: "x" } }, TypeError, "`commandAuth.password` must be a string"],
  [{ startTimeoutMs: 0 }, RangeError, `\`startTimeoutMs\` must be from 1 to ${MAX_MS} ms, got 0`],
  [{ startTimeoutMs: Infinity }, RangeError, "`startTimeoutMs`", "Infinity"],
  [{ clock: null }, TypeError, "`clock` must not be null"],
  [7, TypeError, "options must be an object, got 7"],
];

const RESTART: readonly Row[] = [
  [{ keepdata: false }, TypeError, "unknown option `keepdata`: did you mean `keepData`?"],
  [{ keepData: "no" }, TypeError, "`keepData` must be a boolean", '"no"'],
  [false, TypeError, "options must be an object, got false"],
];

const COMMAND: readonly Row[] = [
  [[], TypeError, "`command` must not be empty"],
  [
    ["SET", "a", undefined],
    TypeError,
    "`command` must be strings and finite numbers, got undefined",
  ],
  [["SET", "a", Number.NaN], TypeError, "`command`", "got NaN"],
];

const MS: readonly Row[] = [
  [[-1], RangeError, `\`ms\` must be from 0 to ${MAX_MS}, got -1`],
  [[Number.NaN], TypeError, "`ms` must be a number, got NaN"],
  [[Infinity], RangeError, "`ms`", "got Infinity"],
  [["5"], TypeError, '`ms` must be a number, got "5"'],
  [[], TypeError, "`ms` must be a number, got undefined"],
];

const DIRECTION: readonly Row[] = [
  [["fromServer"], RangeError, "`direction`", '"both", "toServer", "toClient"', '"fromServer"'],
  [[null], TypeError, "`direction` must be a string, got null"],
  [[{ direction: "toClient" }], TypeError, "`direction` must be a string"],
];

const FACTORY: readonly Row[] = [
  [{ node: 2 }, TypeError, "unknown option `node`: did you mean `nodes`?"],
  [{ link: true }, TypeError, "unknown option `link`: did you mean `links`?"],
  [{ nodes: 0 }, RangeError, "`nodes` must be from 1 to 100, got 0"],
  [{ nodes: -1 }, RangeError, "`nodes`", "got -1"],
  [{ nodes: 1.5 }, RangeError, "`nodes` must be an integer from 1 to 100, got 1.5"],
  [{ nodes: "3" }, TypeError, '`nodes` must be a number, got "3"'],
  [{ nodes: Number.NaN }, TypeError, "`nodes` must be a number, got NaN"],
  [{ nodes: 101 }, RangeError, "`nodes`"],
  [{ links: "yes" }, TypeError, "`links` must be a boolean"],
  [{ server: true }, TypeError, "`server` must be an object, got true"],
  [{ server: () => 7 }, TypeError, "`server(0)` must be an object, got 7"],
  [{ nodes: 1, server: { appendOnly: true } }, TypeError, "did you mean `appendonly`?"],
  [{ provider: "podman" }, RangeError, "`provider`", '"auto", "process", "docker"', '"podman"'],
  [{ provider: {} }, TypeError, "`provider` must have a method `start`"],
  [[], TypeError, "options must be an object, got an array"],
  ["5", TypeError, 'options must be an object, got "5"'],
];

const START_LINK: readonly Row[] = [
  [undefined, TypeError, "options must be an object, got undefined"],
  [{}, TypeError, "`targetPort` must be a number, got undefined"],
  [{ targetPort: 0 }, RangeError, "`targetPort` must be from 1 to 65535, got 0"],
  [{ targetPort: 65_536 }, RangeError, "`targetPort`"],
  [{ targetPort: 1, port: 2 }, TypeError, "unknown option `port`: did you mean `targetPort`?"],
  [{ targetPort: 1, scheme: "http" }, RangeError, "`scheme`", '"redis", "rediss"', '"http"'],
  [{ targetPort: 1, precise: "yes" }, TypeError, "`precise` must be a boolean"],
];

describe("quorate/testing refuses bad arguments:", function () {
  let fleet: RedisFleet;
  const node = (): FleetNode => at(fleet.nodes, 0);
  const link = (): TcpLink => node().link;
  const clock = (): ServerClock => node().clock;

  before(async function () {
    if (process.platform !== "linux") this.skip();
    fleet = await RedisFleet.start({
      nodes: 1,
      links: true,
      server: { clock: true },
      provider: "process",
    });
  });
  after(() => fleet?.stop());

  const all = (args: unknown): never[] => args as never[];
  const functions: readonly [string, (args: unknown) => unknown, readonly Row[]][] = [
    ["RedisFleet.start", (options) => RedisFleet.start(options as never), FACTORY],
    [
      "RedisProcess.start",
      (options) => RedisProcess.start(options as never),
      [
        ...SERVER,
        [{ binary: 7 }, TypeError, "`binary` must be a string"],
        [{ port: 70_000 }, RangeError, "`port` must be from 1 to 65535"],
        [{ image: "redis" }, TypeError, "unknown option `image`"],
      ],
    ],
    [
      "RedisContainer.start",
      (options) => RedisContainer.start(options as never),
      [
        ...SERVER,
        [{ image: 7 }, TypeError, "`image` must be a string"],
        [{ port: 1 }, TypeError, "unknown option `port`"],
      ],
    ],
    ["restart", (options) => node().restart(options as never), RESTART],
    ["command", (args) => node().command(...all(args)), COMMAND],
    [
      "linksFor",
      (client) => fleet.linksFor(client as never),
      [
        [undefined, TypeError, "`client` must be a string, got undefined"],
        ["", RangeError, "`client`"],
      ],
    ],
    [
      "linkFor",
      (client) => node().linkFor(client as never),
      [
        [7, TypeError, "`client` must be a string, got 7"],
        ["", RangeError, "`client`"],
      ],
    ],
    ["TcpLink.start", (options) => TcpLink.start(options as never), START_LINK],
    [
      "delay",
      (args) => link().delay(...(all(args) as unknown as [never])),
      [
        ...MS,
        [[1, { jitter: 5 }], TypeError, "unknown option `jitter`: did you mean `jitterMs`?"],
        [[1, { jitterMs: -5 }], RangeError, "`jitterMs` must be from 0 to", "got -5"],
        [[1, { jitterMs: Number.NaN }], TypeError, "`jitterMs` must be a number, got NaN"],
        [[1, { direction: "up" }], RangeError, "`direction`", '"up"'],
        [[1, 5], TypeError, "options must be an object, got 5"],
      ],
    ],
    [
      "lossy",
      (args) => link().lossy(...(all(args) as unknown as [never])),
      [
        [[Number.NaN], TypeError, "`share` must be a number, got NaN"],
        [[5], RangeError, "`share` must be from 0 to 1, got 5"],
        [[0.5, -1], RangeError, "`retransmitMs` must be from 0 to", "got -1"],
      ],
    ],
    ["blackhole", (args) => link().blackhole(...all(args)), DIRECTION],
    ["hold", (args) => link().hold(...all(args)), DIRECTION],
    ["lateDelivery", (args) => link().lateDelivery(...(all(args) as unknown as [never])), MS],
    [
      "bandwidth",
      (value) => link().bandwidth(value as never),
      [
        [0, RangeError, "`bytesPerSecond` must be at least 1, got 0"],
        [-1, RangeError, "`bytesPerSecond`"],
        [Number.NaN, TypeError, "`bytesPerSecond` must be a number, got NaN"],
      ],
    ],
    [
      "mixUpReplies",
      (value) => link().mixUpReplies(value as never),
      [
        [-1, RangeError, "`ms`", "got -1"],
        [undefined, TypeError, "`ms` must be a number, got undefined"],
      ],
    ],
    [
      "dropReplies",
      (value) => link().dropReplies(value as never),
      [
        [-1, RangeError, "`count`", "got -1"],
        [1.5, RangeError, "`count` must be an integer", "got 1.5"],
        [undefined, TypeError, "`count` must be a number, got undefined"],
      ],
    ],
    [
      "jump",
      (value) => clock().jump(value as never),
      [
        [Number.NaN, TypeError, "`ms` must be a number, got NaN"],
        [Infinity, RangeError, "`ms`", "got Infinity"],
        [-Infinity, RangeError, "`ms`"],
        ["5", TypeError, "`ms`"],
      ],
    ],
    [
      "rate",
      (value) => clock().rate(value as never),
      [
        [-1, RangeError, "`factor`", "got -1"],
        [Number.NaN, TypeError, "`factor` must be a number, got NaN"],
        [Infinity, RangeError, "`factor`"],
      ],
    ],
  ];

  for (const [name, run, rows] of functions) {
    rows.forEach(([args, kind, ...says], index) => {
      const shown = typeof args === "function" ? "a function" : JSON.stringify(args);
      it(`${name}: row ${index}, ${shown}`, async () => {
        const error = (await rejectionOf((async () => run(args))())) as Error;
        expect(error).to.be.instanceOf(kind);
        for (const words of says) expect(error.message).to.include(words);
      });
    });
  }

  it("and whatever was refused has struck nothing", async () => {
    expect(await node().command("PING")).to.equal("PONG");
    const viaLink = await TcpLink.start({ targetPort: node().port });
    expect(viaLink.url).to.match(/^redis:/);
    await viaLink.stop();
  });

  it("takes every function of the public face that takes arguments", () => {
    const tested = new Set(functions.map(([name]) => name.replace(/^.*\./, "")));
    const faces = { RedisFleet, RedisProcess, RedisContainer, TcpLink };
    const methods = [
      ...Object.values(faces).flatMap(({ prototype }) => methodsOf(prototype)),
      ...[node(), clock()].flatMap((instance) => methodsOf(Object.getPrototypeOf(instance))),
    ];
    // No arguments; and how the server is asked whether it goes by the clock, which is internal.
    const without = [
      "pause",
      "resume",
      "kill",
      "stop",
      "flush",
      "reset",
      "refuse",
      "heal",
      "close",
    ];
    const missing = methods.filter((name) => ![...tested, ...without, "governs"].includes(name));
    expect(missing).to.deep.equal([]);
  });
});

function methodsOf(prototype: object): string[] {
  return Object.entries(Object.getOwnPropertyDescriptors(prototype)).flatMap(([name, { value }]) =>
    name !== "constructor" && typeof value === "function" ? [name] : [],
  );
}
