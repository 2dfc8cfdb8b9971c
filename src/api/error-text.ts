/**
 * How the text of an error is put together: one sentence of what happened, and one of what to do. Whatever names and
 * nodes it is about, it fits into three lines of a terminal; the rest is in the error's fields.
 */

/** Three lines of 80 characters. */
export const LONGEST_TEXT = 240;

/** Of a name in a text: enough for its beginning and its end, which often tells names apart. */
const LONGEST_NAME = 48;

/** Of what a node says, with the node's own name. */
const LONGEST_DETAIL = 140;

/** Of what several nodes say. */
const LONGEST_LIST = 112;

/** The text of one error. */
export interface ErrorText {
  /** A sentence without its full stop. */
  readonly happened: string;
  /** What the user can do, as a sentence without its full stop. */
  readonly remedy: string;
}

/**
 * Both sentences, in one line. The first is cut where they would be too long; what to do and the tally never are.
 *
 * @param tally how many nodes voted in which way; "" if none was asked
 */
export function errorText({ happened, remedy }: ErrorText, tally = ""): string {
  const rest = `${tally === "" ? "" : `: ${tally}`}. ${remedy}`;
  return cutEnd(inOneLine(happened), LONGEST_TEXT - rest.length) + rest;
}

/** A name of a lock or a key, in quotation marks; {@link shortened}. */
export function quoted(name: string): string {
  return `"${shortened(name)}"`;
}

/** Of a long name or label its beginning and its end. */
export function shortened(name: string): string {
  if (name.length <= LONGEST_NAME) return name;
  const side = (LONGEST_NAME - 1) / 2;
  const begin = wholeEnd(name.slice(0, Math.ceil(side)));
  return `${begin}…${wholeBegin(name.slice(-Math.floor(side)))}`;
}

/** What one node says, in its first sentence. */
export function detailOf(node: string, message: string): string {
  const [sentence = ""] = inOneLine(message).split(". ", 1);
  return cutEnd(`${node}: ${sentence}`, LONGEST_DETAIL);
}

/** The first of several, as far as they fit, and how many there are besides. */
export function firstOf(details: readonly string[]): string {
  let [list = ""] = details;
  for (let at = 1; at < details.length; at++) {
    const longer = `${list}; ${details[at]}`;
    if (longer.length > LONGEST_LIST) return `${list}; and ${details.length - at} more`;
    list = longer;
  }
  return list;
}

function inOneLine(text: string): string {
  return text.replaceAll(/\s+/gu, " ").trim();
}

function cutEnd(text: string, length: number): string {
  if (text.length <= length) return text;
  const begin = wholeEnd(text.slice(0, length - 1)).trimEnd();
  const isInside = begin.lastIndexOf("(") > begin.lastIndexOf(")");
  return isInside ? `${wholeEnd(begin.slice(0, -1))}…)` : `${begin}…`;
}

/** Without half of a character at a cut. */
function wholeEnd(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, "");
}

function wholeBegin(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]/, "");
}
