import { expect } from "chai";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { importCycles } from "./support/import-cycles.js";

/** The repository: this file is compiled to `<build>/test/`. */
const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

interface Source {
  /** From the root, with slashes: `src/protocol/quorum.ts`. */
  readonly path: string;
  readonly text: string;
  /** Without comments and without the contents of template strings (scripts in Lua). */
  readonly code: string;
  /** Files of ours that it imports, as paths, and packages by name. */
  readonly files: readonly string[];
  readonly packages: readonly string[];
}

function pathsIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) =>
    posix.join(folder, name.replaceAll("\\", "/")),
  );
}

function sourcesIn(folder: string): Source[] {
  return pathsIn(folder)
    .filter((path) => path.endsWith(".ts"))
    .map(read);
}

function read(path: string): Source {
  const text = readFileSync(join(ROOT, path), "utf8");
  const code = text
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/(?<![:"'])\/\/.*$/gm, "")
    .replaceAll(/`[^`]*`/g, "``");
  const packages = specifiersIn(code).filter((specifier) => !isOurs(specifier));
  return { path, text, code, files: importsIn(code, path), packages };
}

function specifiersIn(code: string): string[] {
  return [...code.matchAll(/(?<!")\b(?:from|import|new URL)\s*\(?\s*"([^"]+)"/g)].map(
    ([, specifier]) => specifier ?? "",
  );
}

function isOurs(specifier: string): boolean {
  return specifier.startsWith(".");
}

function importsIn(code: string, path: string): string[] {
  return specifiersIn(code)
    .filter(isOurs)
    .map((specifier) => posix.join(posix.dirname(path), specifier).replace(/\.js$/, ".ts"));
}

const SOURCES = sourcesIn("src");
const SIMULATOR = sourcesIn("sim");
const inFolder = (folder: string): Source[] =>
  SOURCES.filter(({ path }) => path.startsWith(`src/${folder}/`));

/** What the files of a folder may import: folders (or files) of ours, and packages. */
const MAY_IMPORT: Readonly<Record<string, { ours: string[]; packages: string[] }>> = {
  protocol: { ours: ["protocol/"], packages: ["cluster-key-slot"] },
  kinds: { ours: ["protocol/", "kinds/"], packages: [] },
  coordinator: { ours: ["protocol/", "coordinator/"], packages: [] },
  script: {
    ours: ["protocol/", "channel/transport.ts", "script/"],
    packages: ["node:crypto"],
  },
  memory: {
    ours: [
      ...["channel/transport.ts", "script/batch-encoder.ts", "redis/command-transport.ts"],
      ...["nodes/simulated-nodes.ts", "runtime/", "memory/"],
    ],
    packages: ["node:crypto", "node:fs", "node:module", "node:path"],
  },
  // Of the platform only a hash, by which a node proves its message: the same everywhere, at any time.
  channel: {
    ours: ["protocol/", "coordinator/ports.ts", "channel/"],
    packages: ["node:crypto"],
  },
  runtime: {
    ours: ["protocol/", "coordinator/ports.ts", "runtime/"],
    packages: ["leven", "node:async_hooks", "node:crypto", "node:events"],
  },
  telemetry: {
    ours: [...["protocol/", "coordinator/", "channel/", "api/", "telemetry/"]],
    packages: ["node:diagnostics_channel"],
  },
  "integrations/opentelemetry": {
    ours: ["telemetry/", "runtime/validate.ts", "integrations/opentelemetry/"],
    packages: ["@opentelemetry/api", "node:diagnostics_channel"],
  },
  options: {
    ours: [
      ...["protocol/", "kinds/", "coordinator/lease-settings.ts"],
      ...["api/", "runtime/validate.ts", "options/"],
    ],
    packages: ["cluster-key-slot", "node:os"],
  },
  fencing: {
    ours: [
      "fencing/",
      "api/errors.ts",
      "api/error-text.ts",
      "runtime/validate.ts",
      "protocol/keys.ts",
    ],
    packages: ["node:crypto"],
  },
  "integrations/redlock": {
    ours: [
      ...["protocol/", "kinds/", "coordinator/", "redis/client-types.ts", "script/batch-script.ts"],
      ...["api/", "runtime/validate.ts", "options/", "nodes/", "integrations/redlock/"],
    ],
    packages: ["cluster-key-slot", "node:"],
  },
  testing: {
    ours: [
      ...["testing/", "runtime/validate.ts", "runtime/within.ts", "protocol/"],
      // To put a node's record back.
      ...["redis/node-config.ts", "redis/plain-client.ts", "redis/drop-stream.ts"],
      ...["script/embedded-lua.ts", "script/handshake-codec.ts"],
      // To check the transport of a node, which it makes as a lock manager does.
      ...["channel/transport.ts", "redis/command-transport.ts", "script/batch-encoder.ts"],
      ...["nodes/simulated-nodes.ts", "kinds/exclusive.ts"],
    ],
    packages: ["ioredis", "node:", "testcontainers"],
  },
};

describe("the direction of imports", () => {
  /** By type and by `import("...")`, too. */
  const imports = new Map([...SOURCES, ...SIMULATOR].map(({ path, files }) => [path, files]));

  it("no file imports one that imports it, by however many others", () => {
    expect(importCycles(imports)).to.deep.equal([]);
  });

  it("a circle is found, whatever the words of its imports", () => {
    for (const text of [
      'import { Context } from "./context.js";',
      'import type { Context } from "./context.js";',
      'export * from "./context.js";',
      'type Its = import("./context.js").Context;',
    ]) {
      const planted = new Map(imports);
      planted.set("src/coordinator/ports.ts", importsIn(text, "src/coordinator/ports.ts"));
      const [circle = []] = importCycles(planted);
      expect(circle, text).to.include.members([
        "src/coordinator/ports.ts",
        "src/coordinator/context.ts",
      ]);
    }
  });

  it("no room imports one that imports it, by however many others", () => {
    // The barrel stands above all rooms; the command line is a user of it.
    const roomOf = (path: string): string => path.split("/").slice(1, -1)[0] ?? path;
    const rooms = new Map<string, string[]>();
    for (const { path, files } of SOURCES) {
      const room = roomOf(path);
      const others = files.map(roomOf).filter((other) => other !== room);
      rooms.set(room, [...(rooms.get(room) ?? []), ...others]);
    }
    expect(importCycles(rooms)).to.deep.equal([]);
    expect([...rooms.keys()].filter((room) => room.endsWith(".ts"))).to.deep.equal([
      "src/index.ts",
    ]);
  });

  for (const [folder, { ours, packages }] of Object.entries(MAY_IMPORT)) {
    it(`${folder} imports only ${[...ours, ...packages].join(", ")}`, () => {
      expect(inFolder(folder), folder).to.not.have.length(0);
      for (const source of inFolder(folder)) {
        for (const file of source.files) {
          const isAllowed = ours.some((allowed) => file.startsWith(`src/${allowed}`));
          expect(isAllowed, `${source.path} imports ${file}`).to.equal(true);
        }
        for (const name of source.packages) {
          const isAllowed = packages.some((allowed) => name.startsWith(allowed));
          expect(isAllowed, `${source.path} imports ${name}`).to.equal(true);
        }
      }
    });
  }

  it("coordinator and channel ask nobody of which kind a lock is", () => {
    const asking = /"(?:exclusive|shared|several|owned|redisson|timestamp|permit)"/;
    for (const { path, code } of [...inFolder("coordinator"), ...inFolder("channel")]) {
      expect(asking.exec(code)?.[0], path).to.equal(undefined);
    }
  });

  it("only redis and testing know ioredis", () => {
    const knowing = SOURCES.filter(({ packages }) =>
      packages.some((name) => name === "ioredis" || name.startsWith("ioredis/")),
    );
    for (const { path } of knowing) expect(path).to.match(/^src\/(redis|testing)\//);
    expect(knowing.length, "files that import it").to.be.above(0);
  });

  it("only an import of its own brings the interface of redlock in", () => {
    for (const source of SOURCES) {
      if (source.path.startsWith("src/integrations/redlock/")) continue;
      for (const file of source.files)
        expect(file, source.path).to.not.match(/^src\/integrations\/redlock\//);
    }
  });

  it("only opentelemetry knows OpenTelemetry, and only an import of its own brings it in", () => {
    for (const { path, files, packages } of SOURCES) {
      if (path.startsWith("src/integrations/opentelemetry/")) continue;
      for (const name of packages) expect(name, path).to.not.match(/^@opentelemetry\//);
      for (const file of files)
        expect(file, path).to.not.match(/^src\/integrations\/opentelemetry\//);
    }
  });

  it("nothing that is published imports the simulator, nor anything else outside of src", () => {
    for (const source of SOURCES) {
      for (const file of source.files) expect(file, source.path).to.match(/^src\//);
    }
  });

  it("the simulator reaches neither real connections nor real clocks", () => {
    for (const source of SIMULATOR) {
      for (const file of source.files) {
        expect(file, source.path).to.not.match(/^src\/(redis|testing|runtime)\//);
      }
    }
  });

  it("nothing that is published imports the test fleet", () => {
    for (const source of SOURCES) {
      if (/^src\/(testing|cli)\//.test(source.path)) continue;
      for (const file of source.files) expect(file, source.path).to.not.match(/^src\/testing\//);
    }
  });
});

describe("the outside world", () => {
  const OUTSIDE =
    /\b(?:Date|performance|process|setTimeout|setInterval|setImmediate|queueMicrotask|fetch|crypto)\b|Math\.random|\bconsole\b/;

  for (const folder of ["protocol", "kinds", "coordinator", "channel"]) {
    it(`enters ${folder} through ports only`, () => {
      for (const { path, code } of inFolder(folder)) {
        // What messages say is no use of it.
        const used = code.replaceAll(/"(?:[^"\\\n]|\\.)*"/g, '""');
        expect(OUTSIDE.exec(used)?.[0], path).to.equal(undefined);
      }
    });
  }

  it("lets only acquires sleep between attempts, and protocol/next-move say for how long", () => {
    const others = /^(?:lease|renewal|round|schedule|sealing|poll|places|admission)/;
    const using = (pattern: RegExp): string[] =>
      inFolder("coordinator")
        .map(({ path, code }) => ({ file: path.slice("src/coordinator/".length), code }))
        .filter(({ file, code }) => !others.test(file) && pattern.test(code))
        .map(({ file }) => file)
        .toSorted();
    expect(using(/\bschedule\.set\(|\.setTimer\(/)).to.deep.equal([
      "acquire.ts",
      // Until when it may begin.
      "attempt.ts",
      // Within an attempt: `protocol/split` says for how long.
      "contest.ts",
      // For how long a set keeps names: `protocol/gathering` says that.
      "gathering.ts",
      // Polls who holds a name, and acquires nothing.
      "observation.ts",
    ]);
    // What makes a pause, or limits how often one asks, and is no argument of another function.
    const pauses =
      /\b(?:backoffMs|turnWaitMs|askAll|minDelayMs|maxDelayMs|MAX_\w*(?:TRIES|QUICK|OUTRUN|DELAYS)\w*|M(?:AX|IN)_\w*_MS)\b/;
    // Of notifications, which anybody can forge.
    expect(using(pauses)).to.deep.equal(["wait-place.ts"]);
  });

  it("leaves protocol without promises", () => {
    for (const { path, code } of inFolder("protocol")) {
      expect(/\b(?:Promise|async|await)\b/.exec(code)?.[0], path).to.equal(undefined);
    }
  });
});

describe("the sources", () => {
  it("are all reached from an entry point", () => {
    const { exports, bin = {} } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      exports: object;
      bin?: object;
    };
    const entries = new Set(
      [...JSON.stringify([exports, bin]).matchAll(/dist\/([\w/.-]+?)\.m?js/g)].map(
        ([, path]) => `src/${path}.ts`,
      ),
    );
    const roots = SOURCES.filter(({ path }) => entries.has(path) || path.endsWith("/index.ts"));
    const reached = new Set(roots.map(({ path }) => path));
    // A set is walked through to the last element that is added on the way.
    for (const path of reached) {
      for (const file of SOURCES.find((source) => source.path === path)?.files ?? []) {
        reached.add(file);
      }
    }
    const orphans = SOURCES.map(({ path }) => path).filter((path) => !reached.has(path));
    expect(orphans).to.deep.equal([]);
  });

  it("import no file that is not there", () => {
    const paths = new Set(SOURCES.map(({ path }) => path));
    for (const { path, files } of SOURCES) {
      for (const file of files) expect(paths.has(file), `${path} imports ${file}`).to.equal(true);
    }
  });

  it("have every exported function of the protocol mentioned by a test of theirs", () => {
    const tests = sourcesIn("test/protocol");
    for (const { path, code } of inFolder("protocol")) {
      for (const [, name] of code.matchAll(/^export function (\w+)/gm)) {
        const isMentioned = tests.some((test) =>
          new RegExp(`\\b${name}\\(|\\b${name}\\)`).test(test.code),
        );
        expect(isMentioned, `${name} of ${path}`).to.equal(true);
      }
    }
  });
});

describe("the programs", () => {
  it("have what is declared for packages, as the whole has", () => {
    const { files, include } = JSON.parse(
      readFileSync(join(ROOT, "tsconfig.json"), "utf8").replaceAll(/^\s*\/\/.*$/gm, ""),
    ) as { files: readonly string[]; include: readonly string[] };
    const declarations = include
      .filter((folder) => !folder.startsWith("site/"))
      .flatMap(pathsIn)
      .filter((path) => path.endsWith(".d.ts") && !path.includes("/node_modules/"));
    expect(files).to.have.members(declarations);
  });
});

describe("the Lua", () => {
  it("is all that there is of it in what ships", () => {
    for (const { path, code } of SOURCES) {
      if (path.endsWith("/embedded-lua.ts")) continue;
      expect(code, path).to.not.match(/\bredis\.p?call\('[A-Z]/);
    }
  });
});

describe("the tests", () => {
  it("draw numbers evenly", () => {
    const using = sourcesIn("test").filter(({ code }) => /fc\.double\b/.test(code));
    expect(using.map(({ path }) => path)).to.deep.equal([]);
  });
});
