/** Precedes a scenario in the fragment of an address. */
const MARK = "#scenario=";

/** The address of a page that shows the data, encoded as JSON in base64url. */
export function linkTo(page: string, data: object): string {
  const bytes = new TextEncoder().encode(JSON.stringify(data));
  const text = btoa(String.fromCodePoint(...bytes));
  const [bare = ""] = page.split("#", 1);
  return bare + MARK + text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/**
 * The data in such an address, as JSON; undefined if there is none.
 *
 * @throws TypeError if the data was truncated or is not base64url
 */
export function jsonInLink(address: string): string | undefined {
  const at = address.indexOf(MARK);
  if (at < 0) return undefined;
  const text = address.slice(at + MARK.length);
  try {
    const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
  } catch (error) {
    const why = (error as Error).message;
    throw new TypeError(`no scenario can be read from the link: ${why}`, { cause: error });
  }
}
