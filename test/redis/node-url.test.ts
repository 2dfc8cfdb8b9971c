import { expect } from "chai";
import * as fc from "fast-check";
import { optionsOfUrl } from "../../src/redis/node-url.js";

const parse = (url: string) => optionsOfUrl(url, "nodes[0]");

describe("optionsOfUrl", () => {
  for (const [url, options] of [
    ["redis://a", { host: "a" }],
    ["redis://a/", { host: "a" }],
    ["redis://a:7001/3", { host: "a", port: 7_001, db: 3 }],
    ["rediss://a", { host: "a", tls: {} }],
    ["valkey://a", { host: "a" }],
    ["valkeys://a", { host: "a", tls: {} }],
    ["RedisS://a", { host: "a", tls: {} }],
    ["redis://[fe80::1]:7", { host: "fe80::1", port: 7 }],
    ["redis://a?family=6", { host: "a", family: 6 }],
    ["redis://:pass@a", { host: "a", password: "pass" }],
    ["redis://user@a", { host: "a", username: "user" }],
    ["redis://us%40er:p%2Fa%3As%23s@a", { host: "a", username: "us@er", password: "p/a:s#s" }],
  ] as const) {
    it(`reads ${url}`, () => {
      expect(parse(url)).to.deep.equal(options);
    });
  }

  it("reads back every user name and password that was percent-encoded", () => {
    const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(text, text, (username, password) => {
        const [user, pass] = [username, password].map(encodeURIComponent);
        expect(parse(`redis://${user}:${pass}@a`)).to.include({ username, password });
      }),
    );
  });

  for (const [url, message] of [
    ["", /must be a URL such as redis:\/\/host:6379, got ""/],
    ["not a url", /must be a URL such as .*got "not a url"/],
    ["localhost:6379", /must be a URL such as .*got "localhost:6379"/],
    ["http://a:6379", /must be a redis:\/\/ or rediss:\/\/ URL, got "http:\/\/a:6379"/],
    ["redis://", /names no host: "redis:\/\/"/],
    ["redis:///3", /names no host/],
    ["redis://:6379", /not a valid URL: "redis:\/\/:6379"/],
    ["redis://a:port", /invalid port "port" in "redis:\/\/a:port"/],
    ["redis://a:99999999", /invalid port "99999999"/],
    ["redis://a:65536", /invalid port "65536"/],
    ["redis://a/x", /invalid database "x"/],
    ["redis://a/1/2", /invalid database "1\/2"/],
    ["redis://a?family=x", /invalid family "x"/],
    ["redis://a?keyPrefix=b", /`keyPrefix` in the query .* options: \{ keyPrefix: \.\.\. \}/],
    ["redis://a?enableOfflineQueue=true", /`enableOfflineQueue` in the query/],
    ["redis://user:se%cret@a", /percent-encoded/],
    ["redis://:se#cret@a", /percent-encoded/],
    ["redis://:se/cret@a", /percent-encoded/],
    ["redis://:12/cret@a", /percent-encoded/],
    ["redis://se?cret@a", /percent-encoded/],
  ] as const) {
    it(`refuses "${url}", naming the node and what is wrong`, () => {
      expect(() => parse(url))
        .to.throw(TypeError, message)
        .with.property("message")
        .that.includes("`nodes[0]`");
    });
  }

  it("never shows a password, whatever is wrong with the URL", () => {
    const password = fc
      .string({
        unit: fc.constantFrom("#", "/", "?", ":", "%", "@", " ", "[", "]", "\\"),
        maxLength: 3,
      })
      .map((odd) => `QUITE${odd}SECRET`);
    const rest = fc.constantFrom("a", "a:port", "a/x", "a?tls=1", "", ":", "a:99999", "[::1");
    const scheme = fc.constantFrom("redis://", "rediss://", "http://", "redis:", "");
    fc.assert(
      fc.property(scheme, password, rest, (start, secret, end) => {
        try {
          parse(`${start}user:${secret}@${end}`);
        } catch (error) {
          expect(error).to.be.instanceOf(TypeError);
          expect((error as Error).message).not.to.match(/QUITE|SECRET/);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
