import { expect } from "chai";
import { array, assert, integer, property } from "fast-check";
import { Latencies } from "../../bench/latencies.js";
import { callsBetween, parseStats } from "../../bench/node-stats.js";
import { rotated } from "../../bench/rounds.js";
import { spreadOf } from "../../bench/spread.js";
import { checkHonest } from "../../bench/workloads/honesty.js";

describe("bench numbers", () => {
  it("takes quantiles by nearest rank, from any number of latencies", () => {
    const latencies = new Latencies();
    // More than fit into the first block, in falling order.
    for (let value = 100_000; value >= 1; value--) latencies.add(value);
    expect(latencies.count).to.equal(100_000);
    expect(latencies.quantiles(0, 0.5, 0.99, 1)).to.deep.equal([1, 50_000, 99_000, 100_000]);
    expect(new Latencies().quantiles(0.5)).to.deep.equal([Number.NaN]);
  });

  it("has as many rounds above the median as below it, all within the range", () => {
    assert(
      property(array(integer(), { minLength: 1 }), (values) => {
        const { median, min, max } = spreadOf(values);
        const above = values.filter((value) => value > median).length;
        const below = values.filter((value) => value < median).length;
        expect(Math.max(above, below)).to.be.at.most(values.length / 2);
        expect([min, max]).to.deep.equal([Math.min(...values), Math.max(...values)]);
      }),
    );
  });

  it("lets every subject go first once in as many rounds as there are subjects", () => {
    const subjects = ["a", "b", "c"];
    const firsts = [0, 1, 2].map((round) => rotated(subjects, round)[0]);
    expect(firsts).to.deep.equal(subjects);
    expect(rotated(subjects, 4)).to.deep.equal(["b", "c", "a"]);
    expect(rotated([], 1)).to.deep.equal([]);
  });

  it("adds up what all nodes report, but not the bench's own questions", () => {
    const one = "used_cpu_sys:1.5\r\nused_cpu_user:0.25\r\nused_cpu_sys_children:9\r\n";
    const two = "cmdstat_set:calls=3,usec=4\r\ncmdstat_info:calls=7,usec=1\r\n";
    const stats = parseStats(`${one}${two}${one}${two}cmdstat_client|id:calls=1,usec=1\r\n`);
    expect(stats.cpuUs).to.equal(3.5e6);
    expect([...stats.calls]).to.deep.equal([
      ["set", 6],
      ["client|id", 1],
    ]);
  });

  it("counts calls between two readings, of some commands or of all", () => {
    const before = parseStats("cmdstat_set:calls=3,usec=1\n");
    const after = parseStats("cmdstat_set:calls=10,usec=1\ncmdstat_del:calls=2,usec=1\n");
    expect(callsBetween(before, after)).to.equal(9);
    expect(callsBetween(before, after, ["set", "evalsha"])).to.equal(7);
  });

  it("does not believe in cycles that the nodes know nothing of", () => {
    const none = parseStats("");
    const stats = (sets: number, dels: number): ReturnType<typeof parseStats> =>
      parseStats(`cmdstat_set:calls=${sets},usec=1\ncmdstat_del:calls=${dels},usec=1\n`);
    // Ten cycles on five nodes: a quorum of three is the least.
    expect(() => checkHonest(none, stats(30, 30), 10, 5)).not.to.throw();
    expect(() => checkHonest(none, stats(29, 30), 10, 5)).to.throw("executed set 29 times");
    // One that does not unlock fails by itself; releases that go together are one command.
    expect(() => checkHonest(none, stats(30, 1), 10, 5)).not.to.throw();
    expect(() => checkHonest(none, stats(0, 0), 0, 5)).to.throw("0 cycles");
  });
});
