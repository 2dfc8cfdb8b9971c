import { LockManager, type Credentials } from "../src/index.js";

const TOKENS = "http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01";

/** Of the managed identity of this machine. Elsewhere, `@azure/identity` gets a token for the same resource. */
async function entraCredentials(): Promise<Credentials> {
  const response = await fetch(`${TOKENS}&resource=https://redis.azure.com`, {
    headers: { Metadata: "true" },
    // A call that never ended would keep the node away: there is never a second one beside it.
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`no token: HTTP ${response.status}`);
  const { access_token, expires_on } = (await response.json()) as Record<string, string>;
  // The user is the object id of the identity, which its token names.
  const [, claims = ""] = access_token?.split(".") ?? [];
  const { oid } = JSON.parse(Buffer.from(claims, "base64url").toString()) as { oid: string };
  return {
    username: oid,
    password: access_token ?? "",
    // The server ends connections whose token has expired.
    expiresAt: new Date(Number(expires_on) * 1_000),
  };
}

const locks = new LockManager(
  ["a", "b", "c"].map((zone) => ({
    url: `rediss://locks-${zone}.westeurope.redis.azure.net:10000`,
    credentials: entraCredentials,
  })),
);
await locks.request("invoice:42", () => {});
await locks.close();
