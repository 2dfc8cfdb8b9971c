import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A certificate authority that nobody else trusts, and a certificate for 127.0.0.1 from it. */
export interface Certificates extends AsyncDisposable {
  /** Files, for the server. */
  readonly files: { readonly cert: string; readonly key: string; readonly ca: string };
  /** The authority's certificate in PEM, for clients that trust it. */
  readonly ca: string;
  /** The server's own certificate and key in PEM, for clients that need one. */
  readonly cert: string;
  readonly key: string;
}

/** Made by `openssl`, for this run only. */
export async function makeCertificates(): Promise<Certificates> {
  const dir = await mkdtemp(join(tmpdir(), "quorate-tls-"));
  const file = (name: string): string => join(dir, name);
  const openssl = (...args: string[]): Promise<unknown> => run("openssl", args, { cwd: dir });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  await openssl(
    ...["req", "-x509", ...key, "-days", "2", "-subj", "/CN=test authority"],
    ...["-keyout", "ca.key", "-out", "ca.pem"],
  );
  await openssl(
    ...["req", ...key, "-subj", "/CN=localhost", "-keyout", "server.key", "-out", "server.csr"],
  );
  await writeFile(file("names.cnf"), "subjectAltName=IP:127.0.0.1,DNS:localhost\n");
  await openssl(
    ...["x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key"],
    ...["-CAcreateserial", "-days", "2", "-extfile", "names.cnf", "-out", "server.pem"],
  );
  return {
    files: { cert: file("server.pem"), key: file("server.key"), ca: file("ca.pem") },
    ca: await readFile(file("ca.pem"), "utf8"),
    cert: await readFile(file("server.pem"), "utf8"),
    key: await readFile(file("server.key"), "utf8"),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}
