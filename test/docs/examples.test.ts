import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { RedisFleet } from "../../src/testing/index.js";
import { PATIENT } from "../support/patient.js";
import { findPostgres, startPostgres, type Postgres } from "../support/postgres.js";
import { examples, programOf, type Patience } from "./example-program.js";

/** What each writes. `instances.test.ts` runs those that are about several processes. */
const EXPECTED: Readonly<Record<string, RegExp>> = {
  request: /^2 rows\n$/,
  acquire: /^held, token \d{16}, \d{4} ms left\n$/,
  "try-acquire": /^it is ours\nreleased\n$/,
  shared: exactly(`reader: 30, then 30
reader: 30, then 30
written
later reader: 35, then 35
`),
  reentrant: exactly(`a: 70, held
b: 30, held
others must wait
b: 35, held
free
`),
  owners: exactly(`job-17 holds it twice: true true
job-18: null
no owner: null
job-18 holds it
`),
  timestamp: exactly("held, true; the old code sees an unexpired lock\n"),
  redisson: exactly("held, true; no Redisson client holds it\n"),
  semaphore: exactly("2 at most\nboth are taken\n"),
  "telemetry-prometheus": exactly(`lock_acquire_seconds_count{group="invoice",outcome="granted"} 2
locks_lost{reason="maxHold"} 1
`),
  // On a busy machine also an acquire that took longer than a second.
  "telemetry-pino":
    /^(?:\{"level":30,"node":"127\.0\.0\.1:\d+","state":"ready","detail":"connected","msg":"node"\}\n){3}(?:\{"level":40,"name":"invoice:42","outcome":"granted".*"msg":"acquire"\}\n)?\{"level":50,"name":"invoice:42","reason":"maxHold","msg":"lost"\}\n$/,
  inspect: exactly(`held web 1 0 waiting
removed web 1 true
free again: true
"invoice:42" was lost: a quorum of nodes no longer holds our key. Stop the work, and look for a flush, an eviction or a forced release
`),
  bullmq: exactly("6 sent, at most 2 at once\n"),
  "hand-over": exactly(`web holds it: false
worker holds it: true true
adopted only once: taken
released
`),
  "web-locks": exactly(`my_resource, exclusive
2
read
read
written
read
already taken
TimeoutError
stolen
QUORATE_CALLBACK_OVERRUN
stolen: AbortError
`),
  "lock-delay": exactly(`early clock: runs
late clock: held by another
lost: closed
the late write arrived, and nobody else had started
`),
  fencing: /^first holder: written\nsecond holder: written\nfirst holder, late: rejected\n$/,
  "fencing-redis": /^QUORATE_STALE_TOKEN, 1 teapot left\n$/,
  "stale-holder": exactly(`without a fence
  first holder reads 100 and is paused
  second holder reads 100 and writes 150
  first holder wakes up and writes 70
  balance: 70
fenced
  first holder reads 100 and is paused
  second holder reads 100 and writes 150
  first holder wakes up and is rejected: QUORATE_STALE_TOKEN
  balance: 150
`),
};

/** On a busy machine, which may stand still for a second or two, nodes and waits take longer than in an example. */
const PATIENCE: Readonly<Record<string, Patience>> = {
  acquire: { changes: [["waitMs: 1_000", "waitMs: 20_000"]] },
  "lock-delay": {
    changes: [
      ["minHoldMs: 1_000", "minHoldMs: 6_000"],
      ["lockDelayMs: 2_000", "lockDelayMs: 10_000"],
    ],
  },
  "web-locks": { options: { ...PATIENT, lossGraceMs: 5_000 } },
  // Shows a token instead of connecting with it.
  "credentials-iam": {
    changes: [
      ["new Date().toISOString()", '"2026-01-02T03:04:05.678Z"'],
      [
        "const locks =",
        `console.log(iamToken("locks-a", "locker", "eu-west-1"));
         console.log(iamToken("locks-a", "locker", "eu-west-1", "memorydb"));
         process.exit();
         const locks =`,
      ],
    ],
  },
  fencing: { options: {} },
  "stale-holder": { options: {} },
};

const EXPECTED_OF_POSTGRES = exactly("was paid\nQUORATE_STALE_TOKEN\nQUORATE_STALE_TOKEN\n");

function exactly(output: string): RegExp {
  return new RegExp(`^${output}$`);
}

describe("the examples", function () {
  this.timeout(120_000);
  let fleet: RedisFleet;

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 3 });
  });
  after(() => fleet.stop());

  for (const [name, output] of Object.entries(EXPECTED)) {
    it(`${name} runs and ends by itself`, async () => {
      const { code, stdout, stderr } = await run(name, fleet.urls);
      expect(stderr).to.equal("");
      expect(stdout).to.match(output);
      expect(code).to.equal(0);
    });
  }
});

describe("the example with PostgreSQL", function () {
  this.timeout(120_000);
  let fleet: RedisFleet | undefined;
  let postgres: Postgres | undefined;

  before(async function () {
    const bin = findPostgres();
    if (bin === undefined) {
      console.log("skipped: no PostgreSQL (initdb, postgres) on PATH or in /usr/lib/postgresql");
      this.skip();
    }
    [fleet, postgres] = await Promise.all([RedisFleet.start({ nodes: 3 }), startPostgres(bin)]);
  });
  after(() => Promise.all([fleet?.stop(), postgres?.stop()]));

  it("runs and ends by itself", async () => {
    const name = "fencing-postgres";
    const { code, stdout, stderr } = await run(name, fleet?.urls ?? [], postgres?.env);
    expect(stderr).to.equal("");
    expect(stdout).to.match(EXPECTED_OF_POSTGRES);
    expect(code).to.equal(0);
  });
});

describe("the example with IAM", () => {
  const keys = {
    AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
    AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  };

  // The signatures are those of `SigV4QueryAuth` of botocore 1.43.
  for (const { of, sessionToken, shown, signatures } of [
    {
      of: "a user",
      sessionToken: undefined,
      shown: null,
      signatures: [
        "42325481ecd537d06b5c3f740017bcb81646533fcfdf933582dfdd65741daf59",
        "53f3bdadc2af6872ad7209d83a51140b777eec9be4522533823ea6ca5fbcbbca",
      ],
    },
    {
      of: "a role",
      sessionToken: "session/token+1==",
      shown: "session/token+1==",
      signatures: [
        "bb5874f86c9ce13634651aadf11293977a4e298554bfff041ccff5f64db323c4",
        "e87df11d1035b2a3e09f9b5cf8be2c4e3efea923a8e8d17f314ab0a4d67cfa0f",
      ],
    },
  ]) {
    it(`signs with the keys of ${of} as the library of AWS does`, async function () {
      this.timeout(60_000);
      const env = { ...keys, AWS_SESSION_TOKEN: sessionToken };
      const { stdout, stderr } = await run("credentials-iam", [], env);
      expect(stderr).to.equal("");
      const tokens = stdout.trimEnd().split("\n");
      expect(tokens).to.have.length(2);
      for (const [index, service] of ["elasticache", "memorydb"].entries()) {
        const token = tokens[index] ?? "";
        expect(token).to.match(/^locks-a\/\?Action=connect&User=locker&X-Amz-/);
        const query = new URL(`http://${token}`).searchParams;
        expect(query.get("X-Amz-Credential")).to.equal(
          `AKIDEXAMPLE/20260102/eu-west-1/${service}/aws4_request`,
        );
        expect(query.get("X-Amz-Date")).to.equal("20260102T030405Z");
        expect(query.get("X-Amz-Expires")).to.equal("900");
        expect(query.get("X-Amz-Security-Token")).to.equal(shown);
        expect(query.get("X-Amz-Signature")).to.equal(signatures[index]);
      }
    });
  }
});

async function run(
  name: string,
  urls: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, ["--input-type=module"], {
    cwd: examples,
    env: { ...process.env, ...env },
    // One that hangs would keep this process alive as well.
    timeout: 100_000,
    killSignal: "SIGKILL",
  });
  child.stdin.end(programOf(name, urls, PATIENCE[name]));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}
