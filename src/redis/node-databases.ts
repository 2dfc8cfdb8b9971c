import type { ConfiguredNode } from "./node-config.js";

/**
 * A server that does not name its run is recognized by its record, of which each of its databases has another.
 *
 * @throws TypeError that names two nodes which could be one server
 */
export function checkDatabases(nodes: readonly ConfiguredNode[]): void {
  const first = nodes.findIndex(({ isRunIdOptional }) => isRunIdOptional);
  nodes.forEach(({ isRunIdOptional, database }, at) => {
    const of = nodes[first]?.database;
    if (!isRunIdOptional || database === of) return;
    throw new TypeError(
      `\`nodes[${at}]\` is on database ${database} and \`nodes[${first}]\` on ${of}; nodes with \`acceptNoRunId\` ` +
        "need the same number, or a server that is listed twice could vote twice",
    );
  });
}
