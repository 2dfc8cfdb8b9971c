import { stripVTControlCharacters, styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

/** Format and verbosity of the output. */
export interface Manner {
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  readonly isVerbose: boolean;
}

/** Where output goes; the process's own descriptors, except in tests. */
export interface Streams {
  readonly stdout: NodeJS.WritableStream;
  /** For notes and errors. */
  readonly stderr: { write(text: string): unknown };
}

/** The output of a command: results to stdout, everything else to stderr, after `quorate: `. */
export class Output {
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  readonly isVerbose: boolean;
  readonly #streams: Streams;
  #isRead = true;

  constructor({ isJson, isQuiet, isVerbose }: Manner, streams: Streams) {
    this.isJson = isJson;
    this.isQuiet = isQuiet;
    this.isVerbose = isVerbose;
    this.#streams = streams;
  }

  /** The terminal for results; undefined if stdout is not one, or results are for programs. */
  get screen(): NodeJS.WriteStream | undefined {
    const stream = this.#streams.stdout as NodeJS.WriteStream;
    return stream.isTTY && !this.isJson ? stream : undefined;
  }

  /**
   * Whether somebody may still read the results: what prints until it is stopped stops where nobody does. Only a line
   * that cannot be written shows that: Node.js does not watch the reading end of a pipe.
   */
  get isRead(): boolean {
    return this.#isRead;
  }

  /** Lines of the result. */
  print(text: string): void {
    write(this.#streams.stdout, `${text}\n`, (error) => {
      if (error) this.#isRead = false;
    });
  }

  /** The result as JSON, on a line of its own. */
  json(value: unknown): void {
    this.print(JSON.stringify(value));
  }

  /** Unless `--quiet`. */
  note(text: string): void {
    if (!this.isQuiet) this.#say(text);
  }

  /** Even with `--quiet`: somebody has to change something, and it will not stand anywhere else. */
  alert(text: string): void {
    this.#say(text);
  }

  /** Only with `--verbose`. */
  detail(text: string): void {
    if (this.isVerbose) this.#say(text);
  }

  /** The error that ended the command; with `--json` as `{"error": {...}}`. */
  error(
    text: string,
    about: { readonly exitCode: number; readonly code?: string | undefined },
  ): void {
    if (!this.isJson) return this.#say(text);
    const { exitCode, code } = about;
    this.#tell(JSON.stringify({ error: { exitCode, code, message: text } }));
  }

  /** In colour where stdout is a terminal and `NO_COLOR` is not set. */
  style(style: Style, text: string): string {
    const stream = this.#streams.stdout as NodeJS.WriteStream;
    return styleText(style, text, { stream });
  }

  #say(text: string): void {
    this.#tell(`quorate: ${text}`);
  }

  /** What cannot be written is lost. Some versions of Node.js throw what others emit, if the stream is a file. */
  #tell(line: string): void {
    try {
      this.#streams.stderr.write(`${line}\n`);
    } catch {}
  }
}

/** Some versions of Node.js throw what others emit, if the stream is a file. */
function write(
  stream: NodeJS.WritableStream,
  text: string,
  onWritten?: (error?: Error | null) => void,
): void {
  try {
    stream.write(text, onWritten);
  } catch (error) {
    stream.emit("error", error);
  }
}

/**
 * Rows in columns, two spaces apart. Lengths are as displayed: styles do not count.
 */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  const shownLength = (cell: string): number => stripVTControlCharacters(cell).length;
  for (const row of rows) {
    row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, shownLength(cell))));
  }
  const line = (row: readonly string[]): string =>
    row.map((cell, at) => cell + " ".repeat((widths[at] ?? 0) - shownLength(cell))).join("  ");
  return rows.map((row) => line(row).trimEnd()).join("\n");
}

/**
 * Text from elsewhere (a label, a name, a message of a server) made safe for a terminal: control characters are
 * escaped.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
  });
}
