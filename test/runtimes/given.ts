/** What `npm run test:runtimes` gives; undefined in other runs. */
export interface Given {
  /** Program and first arguments by name. */
  readonly runtimes: Readonly<Record<string, readonly [string, ...string[]]>>;
  /** A folder where the package is installed, with the clients. */
  readonly consumer: string;
}

const { QUORATE_RUNTIMES } = process.env;

export const given =
  QUORATE_RUNTIMES === undefined ? undefined : (JSON.parse(QUORATE_RUNTIMES) as Given);
