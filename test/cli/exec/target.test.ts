import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect } from "chai";
import { ownGroupId, processTable } from "../../../src/cli/exec/process-table.js";
import { eventually } from "../../support/settle.js";
import { membersOf, signalTo } from "../../../src/cli/exec/target.js";

const entry = (pid: number, parentPid: number, groupId: number, isZombie = false) => ({
  ...{ pid, parentPid, groupId, isZombie },
});

/** quorate is 10, in a pipeline with 11; its command is 20, a shell with a job 30 and a child of that. */
const TABLE = [
  entry(1, 0, 1),
  entry(31, 30, 30),
  entry(10, 1, 10),
  entry(11, 1, 10),
  entry(20, 10, 20),
  entry(21, 20, 20, true),
  entry(30, 20, 30),
  entry(12, 10, 10),
  entry(40, 1, 30),
  entry(50, 1, 50),
];

describe("The processes of a command", () => {
  it("are those of its group", () => {
    expect(membersOf({ groupId: 30 }, TABLE)).to.deep.equal([31, 30, 40]);
    expect(membersOf({ groupId: 20 }, TABLE)).to.deep.equal([20]);
  });

  it("are in a terminal also the jobs of a shell, but nobody else of the pipeline", () => {
    const target = { groupId: 10, rootPid: 20, spared: [10, 11] };
    expect(membersOf(target, TABLE)).to.deep.equal([31, 20, 30, 12, 40]);
  });

  it("are found among those that run, and are gone when they ended", async () => {
    const child = spawn("sh", ["-c", "sleep 60 & wait"], { detached: true, stdio: "ignore" });
    const groupId = child.pid ?? 0;
    await eventually("both run", () => membersOf({ groupId }).length === 2);
    expect(processTable().find(({ pid }) => pid === groupId)).to.deep.include({
      parentPid: process.pid,
      groupId,
    });
    expect(signalTo({ groupId }, "SIGKILL")).to.equal(true);
    await once(child, "exit");
    await eventually("none is left", () => membersOf({ groupId }).length === 0);
    expect(membersOf({ groupId: ownGroupId() ?? 0 })).to.include(process.pid);
  });
});
