import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { root } from "./project.js";

const read = (...path: readonly string[]): string => readFileSync(join(root, ...path), "utf8");

describe("docs/operate/versions.md", () => {
  const page = read("docs", "operate", "versions.md");
  const row = (about: string): string => {
    const found = page.split("\n").find((line) => line.startsWith(`| ${about}`));
    return found ?? `no row that begins with ${about}`;
  };
  const { engines, dependencies, peerDependencies } = JSON.parse(read("package.json")) as {
    engines: { node: string };
    dependencies: Record<string, string>;
    peerDependencies: Record<string, string>;
  };

  it("names what the workflow tests, and nothing else", () => {
    const workflow = read(".github", "workflows", "test.yml");
    const entries = [...workflow.matchAll(/\{ os: ([\w.-]+), node: "([\d.]+)", server: (\S+) \}/g)];
    expect(entries).to.have.length.above(3);
    const [, supported = "", tested = ""] = row("Node.js").split(" | ");
    expect(supported).to.equal(`${engines.node.replace(">=", "")} and later`);
    const onUbuntu = tested.split(" on Ubuntu 24.04")[0]?.split(", ");
    const ofUbuntu = entries.filter(([, os]) => os === "ubuntu-24.04").map(([, , node]) => node);
    expect(onUbuntu).to.have.members([...new Set(ofUbuntu)]);
    for (const [, os = "", node] of entries.filter(([, os]) => os !== "ubuntu-24.04"))
      expect(tested).to.include(`${node} on ${os.replace("macos-", "macOS ")}`);
    for (const [about, flavour] of [
      ["Redis", "redis-"],
      ["Valkey", "valkey-"],
    ] as const) {
      const servers = entries.flatMap(([, , , server = ""]) =>
        server.startsWith(flavour) ? server.slice(flavour.length) : [],
      );
      const [, , onPage = ""] = row(about).split(" | ");
      expect(onPage.match(/\d+(\.\d+)+/g), about).to.have.members(servers);
    }
  });

  it("names the versions that the package accepts", () => {
    const majors = (range = ""): string[] => [...range.matchAll(/\^(\d+)/g)].map(([, n = ""]) => n);
    for (const [about, name] of [
      ["NestJS", "@nestjs/common"],
      ["Fastify", "fastify"],
    ] as const) {
      const [, supported = ""] = row(about).split(" | ");
      expect(supported.split(" and "), about).to.have.members(majors(peerDependencies[name]));
    }
    expect(page).to.include(`its own copy of ioredis ${majors(dependencies["ioredis"])[0]}`);
    expect(row("OpenTelemetry")).to.include("1.9 and later");
    expect(peerDependencies["@opentelemetry/api"]).to.equal("^1.9.0");
    expect(row("the Lua VM")).to.include("1.18.10");
    expect(peerDependencies["wasmoon-lua5.1"]).to.equal("~1.18.10");
  });

  it("names the versions that the README and the changelog name", () => {
    const least = ["Redis", "Valkey", "TypeScript", "Node.js"].map((about) => {
      const [, supported = ""] = row(about).split(" | ");
      return `${about} ${supported.replace(" and later", "")}`;
    });
    for (const other of ["README.md", "CHANGELOG.md"]) {
      for (const version of least) expect(read(other), other).to.include(version);
    }
  });

  it("tells how much the nightly workflow runs", () => {
    const nightly = read(".github", "workflows", "nightly.yml");
    const [, runs = ""] = /--runs (\d+)/.exec(nightly) ?? [];
    const [, minutes = ""] = /--minutes (\d+)/.exec(nightly) ?? [];
    const tested = read("docs", "internals", "tested.md");
    const night = tested.split("\n").find((line) => line.startsWith("| every night"));
    expect(night).to.include(`${Number(runs).toLocaleString("en")} runs`);
    expect(night).to.include(`${minutes} minutes`);
  });
});
