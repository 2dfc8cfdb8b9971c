import { expect } from "chai";
import { marksOf, variablesOf, variablesOfSettings } from "../../../src/cli/exec/environment.js";
import type { Settings } from "../../../src/cli/config.js";

const HELD = {
  names: ["a"],
  fencingToken: 7,
  remainingMs: 29_582.9,
  validUntil: new Date(1_795_369_425_676.75),
  mode: "exclusive",
  permit: undefined,
  label: "web-1:4711",
  fingerprint: "1f6bb2a0",
} as const;

type Variables = Readonly<Record<string, string | undefined>>;

/** Every variable by what is held, values that are falsy included. */
const OF_HELD: readonly (readonly [
  held: Partial<Parameters<typeof variablesOf>[0]>,
  told: Variables,
])[] = [
  [
    {},
    {
      QUORATE_NAME: "a",
      QUORATE_NAMES: '["a"]',
      QUORATE_FENCING_TOKEN: "7",
      QUORATE_FINGERPRINT: "1f6bb2a0",
      QUORATE_MODE: "exclusive",
      QUORATE_PERMIT: undefined,
      QUORATE_LABEL: "web-1:4711",
      QUORATE_VALID_MS: "29582",
      QUORATE_VALID_UNTIL: "1795369425676",
    },
  ],
  [{ names: ["b c", 'd"e'] }, { QUORATE_NAME: "b c", QUORATE_NAMES: '["b c","d\\"e"]' }],
  [{ fencingToken: undefined }, { QUORATE_FENCING_TOKEN: undefined }],
  [{ fencingToken: 2 ** 53 - 1 }, { QUORATE_FENCING_TOKEN: "9007199254740991" }],
  [{ mode: "shared" }, { QUORATE_MODE: "shared" }],
  [{ permit: 0 }, { QUORATE_PERMIT: "0" }],
  [{ permit: 12 }, { QUORATE_PERMIT: "12" }],
  [{ label: "" }, { QUORATE_LABEL: "" }],
  [{ label: undefined }, { QUORATE_LABEL: undefined }],
  [{ remainingMs: 0 }, { QUORATE_VALID_MS: "0" }],
  [{ remainingMs: 0.9 }, { QUORATE_VALID_MS: "0" }],
  [{ validUntil: new Date(0) }, { QUORATE_VALID_UNTIL: "0" }],
];

const SETTINGS: Settings = {
  nodes: ["redis://a"],
  nodesFrom: "--nodes",
  options: {},
  file: undefined,
  passwordFile: undefined,
};
const WITH_PASSWORD = ["redis://app:pw@a:1", "redis://b:1"];
const LOGIN = { QUORATE_USERNAME: "app", QUORATE_PASSWORD: "pw", QUORATE_PASSWORD_FILE: "/run/pw" };
const FROM_FILE = { nodesFrom: "/c.json", file: "/c.json" };
const NOTHING = {
  QUORATE_USERNAME: undefined,
  QUORATE_PASSWORD: undefined,
  QUORATE_PASSWORD_FILE: undefined,
};

/** What is set or removed, by the settings and the environment; without and with `--pass-nodes`. */
const OF_SETTINGS: readonly (readonly [
  title: string,
  settings: Partial<Settings>,
  env: Variables,
  without: Variables,
  passing: Variables,
])[] = [
  [
    "nodes of the command line",
    {},
    {},
    { QUORATE_NODES: "redis://a" },
    { QUORATE_NODES: "redis://a" },
  ],
  [
    "their passwords",
    { nodes: WITH_PASSWORD },
    {},
    { QUORATE_NODES: "redis://a:1,redis://b:1", ...NOTHING },
    { QUORATE_NODES: "redis://app:pw@a:1,redis://b:1" },
  ],
  [
    "passwords in QUORATE_NODES",
    { nodes: WITH_PASSWORD, nodesFrom: "QUORATE_NODES" },
    { QUORATE_NODES: WITH_PASSWORD.join(" ") },
    { QUORATE_NODES: "redis://a:1,redis://b:1", ...NOTHING },
    { QUORATE_NODES: "redis://app:pw@a:1,redis://b:1" },
  ],
  [
    "a user name alone",
    { nodes: ["redis://app@a:1"] },
    LOGIN,
    { QUORATE_NODES: "redis://a:1", ...NOTHING },
    { QUORATE_NODES: "redis://app@a:1" },
  ],
  [
    "QUORATE_PASSWORD",
    { nodes: [{ url: "redis://a", options: { username: "app", password: "pw" } }] },
    LOGIN,
    { QUORATE_NODES: "redis://a", ...NOTHING },
    { QUORATE_NODES: "redis://a" },
  ],
  [
    "the path of a password's file",
    { nodes: [{ url: "redis://a", options: { username: "app", password: "pw" } }] },
    { ...LOGIN, QUORATE_PASSWORD: "" },
    { QUORATE_NODES: "redis://a" },
    { QUORATE_NODES: "redis://a" },
  ],
  [
    "a password's file by its absolute path",
    { passwordFile: "/run/pw" },
    { QUORATE_PASSWORD_FILE: "pw" },
    { QUORATE_NODES: "redis://a", QUORATE_PASSWORD_FILE: "/run/pw" },
    { QUORATE_NODES: "redis://a", QUORATE_PASSWORD_FILE: "/run/pw" },
  ],
  [
    "no password's file, next to passwords",
    { nodes: WITH_PASSWORD, passwordFile: "/run/pw" },
    { QUORATE_PASSWORD_FILE: "pw" },
    { QUORATE_NODES: "redis://a:1,redis://b:1", ...NOTHING },
    { QUORATE_NODES: "redis://app:pw@a:1,redis://b:1", QUORATE_PASSWORD_FILE: "/run/pw" },
  ],
  [
    "the path of a password's file next to a password",
    { nodes: WITH_PASSWORD },
    { ...LOGIN, QUORATE_PASSWORD: undefined },
    { QUORATE_NODES: "redis://a:1,redis://b:1", ...NOTHING },
    { QUORATE_NODES: "redis://app:pw@a:1,redis://b:1" },
  ],
  ["a config file", FROM_FILE, {}, { QUORATE_CONFIG: "/c.json" }, { QUORATE_CONFIG: "/c.json" }],
  [
    "passwords in a config file",
    { ...FROM_FILE, nodes: [{ url: "redis://:pw@a" }] },
    {},
    { QUORATE_CONFIG: "/c.json" },
    { QUORATE_CONFIG: "/c.json" },
  ],
  [
    "QUORATE_PASSWORD for a config file",
    FROM_FILE,
    LOGIN,
    { QUORATE_CONFIG: "/c.json", ...NOTHING },
    { QUORATE_CONFIG: "/c.json" },
  ],
  [
    "a config file without nodes",
    { file: "/c.json" },
    {},
    { QUORATE_NODES: "redis://a", QUORATE_CONFIG: "/c.json" },
    { QUORATE_NODES: "redis://a", QUORATE_CONFIG: "/c.json" },
  ],
  ...["shop:", ""].map((keyPrefix) => {
    const told = { QUORATE_NODES: "redis://a", QUORATE_KEY_PREFIX: keyPrefix };
    return [
      `a key prefix: ${JSON.stringify(keyPrefix)}`,
      { options: { keyPrefix } },
      {},
      told,
      told,
    ] as const;
  }),
];

describe("The environment of a command", () => {
  for (const [held, told] of OF_HELD) {
    it(`tells what is held: ${Object.keys(held).join()} ${Object.values(told)[0]}`, () => {
      const all = variablesOf({ ...HELD, ...held });
      expect(all).to.have.all.keys(Object.keys(OF_HELD[0]?.[1] ?? {}));
      for (const [name, value] of Object.entries(told)) expect(all[name], name).to.equal(value);
    });
  }

  for (const [title, settings, env, without, passing] of OF_SETTINGS) {
    for (const passes of [false, true]) {
      it(`has of the settings, ${passes ? "with" : "without"} --pass-nodes: ${title}`, () => {
        const given = variablesOfSettings({ ...SETTINGS, ...settings }, env, passes);
        expect(given).to.deep.equal(passes ? passing : without);
      });
    }
  }

  it("identifies the command's processes", () => {
    expect(marksOf(variablesOf(HELD))).to.deep.equal([
      'QUORATE_NAMES=["a"]',
      "QUORATE_VALID_UNTIL=1795369425676",
    ]);
  });
});
