import { expect } from "chai";
import { array, assert, double, integer, nat, property } from "fast-check";
import { jainIndex } from "../../bench/numbers/jain.js";
import { Latencies } from "../../bench/numbers/latencies.js";
import { callsBetween, parseStats } from "../../bench/numbers/node-stats.js";
import { quantileOf } from "../../bench/numbers/quantile.js";
import { rotated } from "../../bench/numbers/rotated.js";
import { spreadOf } from "../../bench/numbers/spread.js";
import { checkHonest } from "../../bench/uncontended/honesty.js";

describe("bench numbers", () => {
  it("takes quantiles by nearest rank, from any number of latencies", () => {
    const latencies = new Latencies();
    // More than fit into the first block, in falling order.
    for (let value = 100_000; value >= 1; value--) latencies.add(value);
    expect(latencies.count).to.equal(100_000);
    expect(latencies.quantiles(0, 0.5, 0.99, 1)).to.deep.equal([1, 50_000, 99_000, 100_000]);
    expect(new Latencies().quantiles(0.5)).to.deep.equal([Number.NaN]);
  });

  it("has at least its share of the values at or below a quantile", () => {
    assert(
      property(
        array(integer(), { minLength: 1 }),
        double({ min: 0, max: 1, noNaN: true }),
        (values, quantile) => {
          const found = quantileOf(
            values.toSorted((a, b) => a - b),
            quantile,
          );
          const upTo = values.filter((value) => value <= found).length;
          const below = values.filter((value) => value < found).length;
          expect(upTo).to.be.at.least(quantile * values.length);
          expect(below).to.be.at.most(quantile * values.length);
        },
      ),
    );
  });

  it("has a Jain index from 1/n to 1, whatever the unit of the shares", () => {
    expect(jainIndex([8, 0, 0, 0])).to.equal(0.25);
    expect(jainIndex([3, 3, 3])).to.equal(1);
    // (1 + 3)² / (2 · (1 + 9))
    expect(jainIndex([1, 3])).to.equal(0.8);
    expect(jainIndex([0, 0])).to.deep.equal(Number.NaN);
    assert(
      property(
        array(nat(1_000), { minLength: 1 }),
        integer({ min: 1, max: 1_000 }),
        (some, unit) => {
          const shares = [...some, 1];
          const index = jainIndex(shares);
          expect(index).to.be.within(1 / shares.length - 1e-9, 1 + 1e-9);
          expect(jainIndex(shares.map((share) => share * unit))).to.be.closeTo(index, 1e-9);
        },
      ),
    );
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

  it("leaves out the rounds that do not have the figure, as data of JSON does", () => {
    const { NaN: none, POSITIVE_INFINITY: endless } = Number;
    expect(spreadOf([3, endless, 1, none, 2])).to.deep.equal({ median: 2, min: 1, max: 3 });
    expect(spreadOf([endless, none])).to.deep.equal({ median: none, min: none, max: none });
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
