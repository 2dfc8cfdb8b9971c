import { RedisError } from "../errors.js";
import type { Keyspace } from "../keyspace.js";
import type { Reply } from "../reply.js";

/** The server as its commands see it. */
export interface CommandContext {
  readonly keys: Keyspace;
  /** Does not advance while a command or a script runs. */
  readonly nowUs: number;
  /** Options of later versions are refused: 6.2 is 602. */
  readonly version: number;
  publish(channel: string, message: string): number;
  listenerCount(channel: string): number;
  info(section: string): string;
}

export interface Command {
  /** Number of arguments, the name included; a negative number is a minimum. */
  readonly arity: number;
  /** The same before Redis 7, where it was different. */
  readonly arityBefore7?: number;
  /** The first version that has it: 7.0 is 700. */
  readonly since?: number;
  /** It may change a key. */
  readonly writes?: boolean;
  /** It may allocate memory: refused when the server is out of memory. */
  readonly growsMemory?: boolean;
  /** @param argv its name and its arguments @throws RedisError */
  run(context: CommandContext, argv: readonly string[]): Reply;
}

export type Commands = Readonly<Record<string, Command>>;

/** The argument at that index; a command asks for no more than its arity guarantees. */
export function at(argv: readonly string[], index: number): string {
  return argv[index] ?? "";
}

export function hasArity(command: Command, version: number, count: number): boolean {
  const arity = (version < 700 ? command.arityBefore7 : undefined) ?? command.arity;
  return arity < 0 ? count >= -arity : count === arity;
}

export function wrongArity(name: string): RedisError {
  return new RedisError(`ERR wrong number of arguments for '${name.toLowerCase()}' command`);
}

export function syntaxError(): RedisError {
  return new RedisError("ERR syntax error");
}
