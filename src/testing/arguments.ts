import type {
  DelayOptions,
  FleetOptions,
  RedisContainerOptions,
  RedisProcessOptions,
  TcpLinkOptions,
} from "./options.js";
import {
  boolean,
  checkOptions,
  MAX_TIMER_MS,
  number,
  oneOf,
  show,
  string,
  whole,
} from "../runtime/validate.js";
import type { RedisServerOptions, RedisTlsFiles, RestartOptions } from "./redis-provider.js";

// A fault with a misspelled option would never occur, and the test would pass. So every argument is
// checked, as for a LockManager. Each table has a check for every option of its type.

type Check = (option: string, value: unknown) => unknown;
type Checks<T> = Readonly<Record<keyof T, Check>>;

/** Checks options. @throws TypeError or RangeError naming the option and value. */
const checksOf =
  <T>(checks: Checks<T>) =>
  (options: T): void =>
    checkOptions(options, checks);

const MAX_NODES = 100;
const MAX_PORT = 65_535;

const TLS: Checks<RedisTlsFiles> = {
  cert: string,
  key: string,
  ca: string,
  requireClientCert: boolean,
};

const AUTH: Checks<NonNullable<RedisServerOptions["commandAuth"]>> = {
  username: string,
  password: string,
};

const SERVER: Checks<RedisServerOptions> = {
  appendonly: boolean,
  appendfsync: choice("always", "everysec", "no"),
  tls: (option, value) => record(option, value, TLS, ["cert", "key"]),
  requirepass: string,
  users: strings,
  cluster: boolean,
  clock: boolean,
  extraArgs: strings,
  commandAuth: (option, value) => record(option, value, AUTH, ["password"]),
  startTimeoutMs: (option, value) => number(option, value, 1, MAX_TIMER_MS),
};

export const checkProcessOptions = checksOf<RedisProcessOptions>({
  ...SERVER,
  binary: string,
  port,
});
export const checkContainerOptions = checksOf<RedisContainerOptions>({ ...SERVER, image: string });
export const checkRestartOptions = checksOf<RestartOptions>({ keepData: boolean });

/** All but those of the servers, which the provider checks. */
export const checkFleetOptions = checksOf<FleetOptions>({
  nodes: (option, value) => whole(option, value, 1, MAX_NODES),
  links: boolean,
  server: (option, value) => {
    if (typeof value !== "function") object(option, value);
  },
  provider: (option, value) => {
    if (typeof (value as { start?: unknown } | null)?.start === "function") return;
    if (typeof value === "string") oneOf(option, value, ["auto", "process", "docker"]);
    else throw new TypeError(`\`${option}\` must have a method \`start\`, got ${show(value)}`);
  },
});

export const checkDirection = choice("both", "toServer", "toClient");

const LINK: Checks<TcpLinkOptions> = {
  targetPort: port,
  scheme: choice("redis", "rediss"),
  precise: boolean,
};
export const checkDelayOptions = checksOf<DelayOptions>({
  jitterMs: checkMs,
  direction: checkDirection,
});

/** The same for a link, which has no default for its target. */
export function checkLinkOptions(options: TcpLinkOptions): void {
  checkOptions(options, LINK);
  port("targetPort", options.targetPort);
}

/** Checks a duration of a link, ms. */
export function checkMs(option: string, value: unknown): number {
  return number(option, value, 0, MAX_TIMER_MS);
}

/** Checks the name of a client. */
export function checkClient(client: unknown): void {
  if (string("client", client) === "") {
    throw new RangeError('`client` must have at least 1 character, got ""');
  }
}

/** Checks a command and its arguments. */
export function checkCommand(args: readonly unknown[]): void {
  if (args.length === 0) throw new TypeError("`command` must not be empty");
  for (const arg of args) {
    if (typeof arg === "string" || (typeof arg === "number" && Number.isFinite(arg))) continue;
    throw new TypeError(`\`command\` must be strings and finite numbers, got ${show(arg)}`);
  }
}

/** Checks that an option, or what a function of the caller returned for it, is an object. */
export function object(option: string, value: unknown): void {
  if (typeof value === "object" && value !== null) return;
  throw new TypeError(`\`${option}\` must be an object, got ${show(value)}`);
}

function record(
  option: string,
  value: unknown,
  checks: Readonly<Record<string, Check>>,
  required: readonly string[],
): void {
  object(option, value);
  checkOptions(value, checks, `${option}.`);
  for (const key of required) {
    string(`${option}.${key}`, (value as Readonly<Record<string, unknown>>)[key]);
  }
}

function strings(option: string, value: unknown): void {
  if (!Array.isArray(value)) {
    throw new TypeError(`\`${option}\` must be an array of strings, got ${show(value)}`);
  }
  value.forEach((each, index) => string(`${option}[${index}]`, each));
}

function port(option: string, value: unknown): number {
  return whole(option, value, 1, MAX_PORT);
}

function choice<const T extends string>(
  ...known: readonly T[]
): (option: string, value: unknown) => T {
  return (option, value) => oneOf(option, value, known);
}
