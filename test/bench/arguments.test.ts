import { expect } from "chai";
import { parseArguments } from "../../bench/arguments.js";
import { nodeCountOf, PART_NAMES } from "../../bench/plan.js";

const partsOf = (...args: string[]): string[] => Object.keys(parseArguments(args).plan);

const WITHOUT_SERVERS = PART_NAMES.filter((name) => name !== "servers");

describe("bench arguments", () => {
  it("measure everything if not told otherwise, on as many nodes as it takes", () => {
    const { plan, isForProject, isReportOnly } = parseArguments([]);
    expect(Object.keys(plan)).to.deep.equal(WITHOUT_SERVERS);
    expect([isForProject, isReportOnly]).to.deep.equal([true, false]);
    expect(nodeCountOf(plan)).to.equal(9);
    expect(partsOf("--quick")).to.deep.equal(WITHOUT_SERVERS);
  });

  it("know a part from the whole", () => {
    const some = ["--quick", "--only raw", "--cell 5/64", "--part held", "--rounds 9"];
    for (const part of some) {
      expect(parseArguments(part.split(" ")).isForProject, part).to.equal(false);
    }
  });

  it("measure on servers that are given, and publish that too", () => {
    const { plan, isForProject } = parseArguments(["--servers", `${process.execPath},/bin/sh`]);
    expect(Object.keys(plan)).to.have.members(PART_NAMES);
    expect(plan.servers?.binaries).to.deep.equal([process.execPath, "/bin/sh"]);
    expect(isForProject).to.equal(true);
    expect(partsOf("--part", "servers", "--servers", "/bin/sh")).to.deep.equal(["servers"]);
  });

  it("publish whole parts on demand", () => {
    const { plan, isForProject } = parseArguments(["--part", "held,cold", "--publish"]);
    expect(Object.keys(plan)).to.deep.equal(["held", "cold"]);
    expect(isForProject).to.equal(true);
  });

  const parts: [args: string, parts: string[]][] = [
    ["--part held", ["held"]],
    ["--part contended,faults", ["contended", "faults"]],
    ["--cell 5/64", ["uncontended"]],
    ["--part uncontended --cell 5/64", ["uncontended"]],
    ["--cell 4x4/0", ["contended"]],
    ["--part contended --cell 50x1/1 --cell 2x8/1@20", ["contended"]],
    ["--only floor", ["contended"]],
    ["--only raw", ["uncontended"]],
    ["--only quorate", ["uncontended", "contended"]],
    ["--only quorate --part contended", ["contended"]],
  ];
  for (const [args, names] of parts) {
    it(`take ${args} for ${names.join(" and ")}`, () => {
      expect(partsOf(...args.split(" "))).to.deep.equal(names);
    });
  }

  it("measure all subjects in a cell of any size, or those that are named", () => {
    const { uncontended } = parseArguments(["--cell", "3/7", "--cell", "11/1"]).plan;
    expect(uncontended?.cells.map(({ cell }) => cell)).to.deep.equal([
      { nodeCount: 3, inFlight: 7 },
      { nodeCount: 11, inFlight: 1 },
    ]);
    expect(uncontended?.cells[0]?.subjectNames).to.include.members(["raw-socket", "sesamecare"]);
    const { plan } = parseArguments(["--cell", "5/64", "--only", "raw,quorate"]);
    expect(plan.uncontended?.cells[0]?.subjectNames).to.have.members(["raw", "quorate"]);
    expect(nodeCountOf(plan)).to.equal(5);
  });

  it("measure all contended subjects in a contention of any size, or those that are named", () => {
    const { contended } = parseArguments(["--cell", "4x4/0", "--cell", "2x8/1@20"]).plan;
    expect(contended?.cases.map(({ contention }) => contention)).to.deep.equal([
      { processCount: 4, workerCount: 4, sectionMs: 0 },
      { processCount: 2, workerCount: 8, sectionMs: 1, firstShare: 0.2 },
    ]);
    expect(contended?.cases[0]?.subjectNames).to.include.members(["poll", "floor-granted"]);
    const { plan } = parseArguments(["--cell", "4x4/0", "--only", "floor,quorate"]);
    expect(plan.contended?.cases[0]?.subjectNames).to.have.members(["floor", "quorate"]);
  });

  it("set the rounds of every part", () => {
    const { plan } = parseArguments(["--rounds", "2"]);
    expect(Object.values(plan).map(({ rounds }) => rounds)).to.deep.equal(
      WITHOUT_SERVERS.map(() => 2),
    );
  });

  const refused: [args: string, message: string | RegExp][] = [
    ["--only rdlock", 'no "rdlock"; there are quorate, '],
    ["--part locks", 'no "locks"; there are uncontended, '],
    ["--cell 5", 'such as 5/64; got "5"'],
    ["--cell 0/1", "--cell must be"],
    ["--cell 99/1", "--cell must be"],
    ["--cell 5/64 --part held", "--cell 5/64 is of the part uncontended"],
    ["--cell 4x4/0 --part held", "--cell 4x4/0 is of the part contended"],
    ["--cell 4x4", 'such as 4x4/0 or 2x8/1@20; got "4x4"'],
    ["--cell 0x4/0", "up to 200 processes"],
    ["--cell 201x4/0", "up to 200 processes"],
    ["--cell 2x8/1@0", "up to 200 processes"],
    ["--cell 4x4/0 --cell 5/64", 'got "5/64"'],
    ["--cell 5/64 --only floor", 'nothing to measure of "floor"'],
    ["--only raw --part held", 'nothing to measure of "raw"'],
    ["--rounds 0", 'got "0"'],
    ["--rounds 1.5", 'got "1.5"'],
    ["--part servers", "--part servers needs --servers"],
    ["--part held --servers /bin/sh", '--servers is of the part servers, not of "held"'],
    ["--servers /bin/sh,/no/such/file", '--servers: there is no file "/no/such/file"'],
    ["--publish --quick", "--publish is for whole parts"],
    ["--publish --part held --rounds 1", "--publish is for whole parts"],
    ["--publish --cell 5/64", "--publish is for whole parts"],
    ["--report --quick", "--report cannot be combined with other options"],
    ["--fast", /Unknown option '--fast'/],
    ["quick", /Unexpected argument 'quick'/],
  ];
  for (const [args, message] of refused) {
    it(`refuse ${args}`, () => {
      expect(() => parseArguments(args.split(" "))).to.throw(message);
    });
  }
});
