import { createHash, createHmac } from "node:crypto";
import { LockManager, type Credentials } from "../src/index.js";

const { AWS_ACCESS_KEY_ID = "", AWS_SECRET_ACCESS_KEY = "", AWS_SESSION_TOKEN } = process.env;

/**
 * The token with which an IAM user of ElastiCache authenticates: a request that is signed (SigV4), and never sent.
 * For MemoryDB, the service is "memorydb". The keys of a role come from `@aws-sdk/credential-providers`.
 */
function iamToken(cache: string, user: string, region: string, service = "elasticache"): string {
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`;
  const query = Object.entries({
    Action: "connect",
    User: user,
    "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
    "X-Amz-Credential": `${AWS_ACCESS_KEY_ID}/${scope}`,
    "X-Amz-Date": time,
    "X-Amz-Expires": "900",
    ...(AWS_SESSION_TOKEN === undefined ? {} : { "X-Amz-Security-Token": AWS_SESSION_TOKEN }),
    "X-Amz-SignedHeaders": "host",
  })
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&");
  const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
  const request = ["GET", "/", query, `host:${cache}`, "", "host", hash("")].join("\n");
  const toSign = ["AWS4-HMAC-SHA256", time, scope, hash(request)].join("\n");
  const key = scope
    .split("/")
    .reduce(
      (last: Buffer, part) => createHmac("sha256", last).update(part).digest(),
      Buffer.from(`AWS4${AWS_SECRET_ACCESS_KEY}`),
    );
  const signature = createHmac("sha256", key).update(toSign).digest("hex");
  return `${cache}/?${query}&X-Amz-Signature=${signature}`;
}

const locks = new LockManager(
  ["a", "b", "c"].map((zone) => ({
    url: `rediss://locks-${zone}.example.euw1.cache.amazonaws.com:6379`,
    credentials: async (): Promise<Credentials> => ({
      username: "locker",
      password: iamToken(`locks-${zone}`, "locker", "eu-west-1"),
      // The token is accepted for 15 minutes. A connection that was authenticated with it ends after 12 hours.
      expiresAt: new Date(Date.now() + 12 * 3_600_000),
    }),
  })),
);
await locks.request("invoice:42", () => {});
await locks.close();
