import { expect } from "chai";
import {
  hasPassword,
  hasUserInfo,
  titleWithoutPasswords,
  withoutUserInfo,
} from "../../src/cli/credentials.js";

/** A URL, whether it has a user name or a password, whether it has a password, and what is left without them. */
const URLS: readonly (readonly [url: string, user: boolean, password: boolean, rest: string])[] = [
  ["redis://a:6379", false, false, "redis://a:6379"],
  ["redis://a:6379/2?family=6", false, false, "redis://a:6379/2?family=6"],
  ["redis://[::1]:6379", false, false, "redis://[::1]:6379"],
  ["redis://app@a:6379", true, false, "redis://a:6379"],
  ["redis://app:pw@a:6379/2?family=6", true, true, "redis://a:6379/2?family=6"],
  ["rediss://:pw@a", true, true, "rediss://a"],
  ["redis://app:@a", true, true, "redis://a"],
  ["redis://app:p%40w@[::1]:1", true, true, "redis://[::1]:1"],
  ["redis://app:p@w@a:1", true, true, "redis://a:1"],
  ["VALKEYS://app:pw@a", true, true, "VALKEYS://a"],
];

describe("Credentials in URLs of nodes", () => {
  for (const [url, user, password, rest] of URLS) {
    it(`are known and can be left out: ${url}`, () => {
      expect([hasUserInfo(url), hasPassword(url), withoutUserInfo(url)]).to.deep.equal([
        user,
        password,
        rest,
      ]);
    });
  }

  const TITLES: readonly (readonly [args: string, title: string | undefined])[] = [
    ["ls", undefined],
    ["ls --nodes redis://a:1,redis://app@b:1", undefined],
    ["ls a@b:c", undefined],
    ["-N redis://:pw@a:1 ls x", "quorate -N redis://***@a:1 ls x"],
    [
      "--nodes=redis://u:pw@a:1,rediss://u:p@w@b:1/2,redis://c -q exec x -- true",
      "quorate --nodes=redis://***@a:1,rediss://***@b:1/2,redis://c -q exec x -- true",
    ],
  ];
  for (const [args, title] of TITLES) {
    it(`do not stay in the list of processes: ${args}`, () => {
      expect(titleWithoutPasswords(args.split(" "))).to.equal(title);
    });
  }

  it("do not stay there in one argument with several nodes", () => {
    expect(titleWithoutPasswords(["-N", "redis://:a@b redis://:c@d"])).to.equal(
      "quorate -N redis://***@b redis://***@d",
    );
  });
});
