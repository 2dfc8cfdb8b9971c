import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Compiles a module of the repository, with what it imports, to a file in .tmp, and imports it. */
export async function bundled(root, folder) {
  const { build } = await import("esbuild");
  const outfile = join(root, ".tmp", `${folder}.mjs`);
  const entryPoints = [join(root, folder, "index.ts")];
  const format = { bundle: true, platform: "node", format: "esm", target: "node20" };
  // Names of classes are read by what makes tables of errors.
  const how = { packages: "external", keepNames: true, logLevel: "warning" };
  await build({ entryPoints, outfile, ...format, ...how });
  return import(pathToFileURL(outfile).href);
}
