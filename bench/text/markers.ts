/**
 * Inserts texts between the markers `<!-- bench:name -->` and `<!-- /bench:name -->` of a page.
 *
 * @throws Error if the page has a marker without a text or without its end, or if a text has no marker.
 */
export function fillMarkers(page: string, texts: Readonly<Record<string, string>>): string {
  const left = new Set(Object.keys(texts));
  const filled = page.replaceAll(
    /<!-- bench:([\w-]+) -->\n(?:(?!<!-- bench:)[\s\S])*?<!-- \/bench:\1 -->/g,
    (_, name: string) => {
      const text = texts[name];
      if (text === undefined) throw new Error(`nothing is known of the mark "${name}"`);
      left.delete(name);
      return `<!-- bench:${name} -->\n\n${text}\n\n<!-- /bench:${name} -->`;
    },
  );
  const [missing] = left;
  if (missing !== undefined) throw new Error(`the page has no complete mark "${missing}"`);
  return filled;
}
