/** A mark, what is between it and its end, and its end. */
const MARK = /<!-- (?!\/)([\w:.-]+) -->([^]*?)<!-- \/\1 -->/g;

/**
 * Fills a page: what stands between `<!-- NAME -->` and `<!-- /NAME -->` becomes the text of that name. A mark on a line
 * of its own gets a block, one within a line the text alone. Other marks stay as they are.
 *
 * @throws Error for a text whose mark the page does not have
 */
export function fillMarks(page: string, texts: Readonly<Record<string, string>>): string {
  const missing = Object.keys(texts).find((name) => !marksOf(page).includes(name));
  if (missing !== undefined) {
    throw new Error(`the page has no marks <!-- ${missing} --> and <!-- /${missing} -->`);
  }
  return page.replaceAll(MARK, (whole, name: string, between: string) => {
    const text = texts[name];
    if (text === undefined) return whole;
    const filling = between.startsWith("\n") ? `\n${text}\n` : text;
    return `<!-- ${name} -->${filling}<!-- /${name} -->`;
  });
}

/** Names of all marks of a page that have an end. */
export function marksOf(page: string): string[] {
  return [...page.matchAll(MARK)].map(([, name = ""]) => name);
}
