/**
 * The import path of each module that the package exports, by its path in the sources: `integrations/cron` is
 * `quorate/cron`.
 *
 * @param exports of package.json
 * @returns {Map<string, string>}
 */
export function importNames(exports) {
  return new Map(
    Object.entries(exports)
      .filter(([, { types }]) => types !== undefined)
      .map(([entry, { types }]) => {
        const path = types.replace(/^\.\/dist\//, "").replace(/\/?index\.d\.ts$/, "");
        return [path, entry.replace(/^\./, "quorate")];
      }),
  );
}
