// The process of the links between clients and nodes: it polls to be precise, which must not slow down any other
// process. Forked by run.ts.
import { TcpLink } from "../../src/testing/index.js";
import { serve } from "../process/serve.js";
import type { Line } from "./network.js";

export type LinksQuestion =
  | { readonly kind: "open"; readonly ports: readonly number[] }
  | { readonly kind: "set"; readonly lines: readonly Line[] };

let links: readonly TcpLink[] = [];

/** @returns to "open": the URLs for clients */
serve(async (question: LinksQuestion): Promise<readonly string[]> => {
  if (question.kind === "open") {
    const starts = question.ports.map((targetPort) => TcpLink.start({ targetPort, precise: true }));
    links = await Promise.all(starts);
    return links.map(({ url }) => url);
  }
  question.lines.forEach(({ roundTripMs, jitterMs = 0, lossShare = 0 }, index) => {
    links[index]?.delay(roundTripMs / 2, { jitterMs: jitterMs / 2 });
    links[index]?.lossy(lossShare);
  });
  return [];
});
