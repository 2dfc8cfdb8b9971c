/** The manual's page on what to do, in the package; every error and warning code has a section there. */
const PAGE = "docs/operate/troubleshooting.md";

/** Where the manual says what a code means and what to do: a page and its anchor. */
export function helpOf(code: string): string {
  return `${PAGE}#${code.toLowerCase()}`;
}
