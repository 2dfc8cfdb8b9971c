import { RedisError } from "./errors.js";

const INTEGER = /^(0|-?[1-9]\d*)$/;
const FLOAT = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const INFINITE = /^([+-]?)inf(inity)?$/i;
const MAX_INT64 = 9_223_372_036_854_775_807n;
const MAX_INSTANT = Number(MAX_INT64);

/** @throws RedisError for anything but a 64-bit integer in its shortest form */
export function integerIn(text: string): number {
  const digits = digitsIn(text);
  if (digits !== undefined) return digits;
  if (!INTEGER.test(text) || (text.length > 15 && !isInt64(text))) {
    throw new RedisError("ERR value is not an integer or out of range");
  }
  return Number(text);
}

/** For up to 15 digits, as nearly all have; undefined for anything else. */
function digitsIn(text: string): number | undefined {
  const { length } = text;
  if (length === 0 || length > 15 || (length > 1 && text.charCodeAt(0) === 48)) return undefined;
  let value = 0;
  for (let at = 0; at < length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return value;
}

function isInt64(text: string): boolean {
  const value = BigInt(text);
  return value <= MAX_INT64 && value >= -MAX_INT64 - 1n;
}

/** A number of ms from now; the server stores the instant in 64 bits. */
export function isInstant(atMs: number): boolean {
  return Math.abs(atMs) < MAX_INSTANT;
}

/** @throws RedisError if it is not a number */
export function floatIn(text: string, complaint = "ERR value is not a valid float"): number {
  const digits = digitsIn(text);
  if (digits !== undefined) return digits;
  if (FLOAT.test(text)) return Number(text);
  const infinite = INFINITE.exec(text);
  if (infinite === null) throw new RedisError(complaint);
  return infinite[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** A score as a server writes it. */
export function scoreText(score: number): string {
  if (score === Number.POSITIVE_INFINITY) return "inf";
  return score === Number.NEGATIVE_INFINITY ? "-inf" : seventeenDigits(score);
}

/** C's `%.17g`: how a script's number becomes the argument of a command. */
export function seventeenDigits(value: number): string {
  if (Number.isSafeInteger(value)) return Object.is(value, -0) ? "-0" : String(value);
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  const [mantissa = "", exponent] = value.toPrecision(17).split("e");
  const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
  if (exponent === undefined) return plainOrScientific(value, short);
  return `${short}e${exponent.replace(/^([+-])(\d)$/, "$10$2")}`;
}

/** JavaScript writes small numbers without an exponent down to 1e-6, C down to 1e-4. */
function plainOrScientific(value: number, short: string): string {
  if (Math.abs(value) >= 1e-4 || value === 0) return short;
  const [mantissa = "", exponent = ""] = value.toExponential(16).split("e");
  return `${mantissa.replace(/\.?0+$/, "")}e${exponent.replace(/^([+-])(\d)$/, "$10$2")}`;
}
