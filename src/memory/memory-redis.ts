import { commandOf } from "./commands/index.js";
import {
  at,
  hasArity,
  wrongArity,
  type Command,
  type CommandContext,
  type Commands,
} from "./commands/command.js";
import { MemoryConnection, type ConnectionListener } from "./connection.js";
import { RedisError } from "./errors.js";
import { Keyspace } from "./keyspace.js";
import { luaVm, type CompiledScript, type ScriptHost } from "./lua/lua-vm.js";
import { integerIn } from "./numbers.js";
import { OK, type Reply } from "./reply.js";
import { ScriptCache } from "./script-cache.js";

export interface MemoryRedisOptions {
  /** Microseconds since 1970, by the server's clock. Defaults to the clock of the process. */
  readonly nowUs?: () => number;
  /** Defaults to 7.2: features of later versions are refused, as a server of that version does. */
  readonly version?: readonly [major: number, minor: number];
  /** What INFO reports in addition to the version. Defaults to a master that evicts nothing. */
  readonly about?: Partial<ServerFacts>;
  /** By their names in capitals: commands that locks do not use, but code next to them does. */
  readonly more?: Commands;
}

/** Fields of INFO. */
export interface ServerFacts {
  readonly run_id: string;
  readonly role: "master" | "slave";
  readonly maxmemory: string;
  readonly maxmemory_policy: string;
}

const OOM = "OOM command not allowed when used memory > 'maxmemory'.";

interface Listener {
  readonly onMessage: (message: string) => unknown;
  readonly isCounted: () => boolean;
}

/** One in-memory Redis server: the commands that locks use, with a server's rules for them. */
export class MemoryRedis {
  readonly keys = new Keyspace();
  readonly scripts = new ScriptCache();
  /** Beyond `maxmemory`: commands that may allocate are refused; in a script only until it has written. */
  isOutOfMemory = false;
  /** Commands that the user may not run, in capitals. */
  readonly denied = new Set<string>();
  about: ServerFacts;
  readonly #version: readonly [major: number, minor: number];
  readonly #clock: () => number;
  readonly #more: Commands;
  readonly #context: CommandContext & { nowUs: number };
  readonly #connections = new Map<number, MemoryConnection>();
  #lastConnectionId = 0;
  readonly #channels = new Map<string, Set<Listener>>();

  constructor({ nowUs, version = [7, 2], about, more = {} }: MemoryRedisOptions = {}) {
    this.#clock = nowUs ?? (() => Math.floor((performance.timeOrigin + performance.now()) * 1_000));
    this.#version = version;
    this.#more = more;
    const facts = { role: "master", maxmemory: "0", maxmemory_policy: "noeviction" } as const;
    this.about = { run_id: "0".repeat(40), ...facts, ...about };
    this.#context = {
      keys: this.keys,
      nowUs: 0,
      version: version[0] * 100 + version[1],
      publish: (channel, message) => this.#publish(channel, message),
      listenerCount: (channel) => this.#listenerCount(channel),
      info: (section) => this.#info(section),
    };
  }

  /**
   * Runs one command of a client.
   *
   * @param argv its name and its arguments, as bytes
   * @throws RedisError for what a server answers with an error
   * @throws LuaMissingError for a script if the VM is not installed
   */
  execute(argv: readonly string[]): Reply {
    const name = at(argv, 0).toUpperCase();
    const clientCommand = this.#clientCommands.get(name);
    if (clientCommand !== undefined) {
      this.#permit(name);
      return clientCommand(argv);
    }
    const command = this.#commandOf(name);
    if (command === undefined) {
      const rest = argv.slice(1).map((arg) => `'${arg.slice(0, 128)}' `);
      throw new RedisError(
        `ERR unknown command '${at(argv, 0)}', with args beginning with: ${rest.join("")}`,
      );
    }
    if (!hasArity(command, this.#context.version, argv.length)) throw wrongArity(name);
    this.tick();
    this.#permit(name);
    if (this.isOutOfMemory && command.growsMemory === true) throw new RedisError(OOM);
    return command.run(this.#context, argv);
  }

  /**
   * Runs a script as EVAL does.
   *
   * @param given keys, then arguments, as bytes
   */
  evaluate(script: CompiledScript, given: readonly string[], keyCount: number): Reply {
    this.tick();
    return luaVm().run(script, given, keyCount, this.#scriptHost());
  }

  connect(listener: ConnectionListener = {}): MemoryConnection {
    return new MemoryConnection(this, ++this.#lastConnectionId, this.#connections, listener);
  }

  /** Ends all connections, as a server that shuts down does. */
  disconnectAll(): void {
    for (const connection of [...this.#connections.values()]) connection.kill();
  }

  /**
   * Returns a function that undoes it.
   *
   * @param isCounted false where it listens to a replica: only PUBLISH reaches it then
   */
  subscribe(
    channel: string,
    onMessage: Listener["onMessage"],
    isCounted: Listener["isCounted"] = () => true,
  ): () => void {
    const listeners = this.#channels.get(channel) ?? new Set();
    const listener = { onMessage, isCounted };
    this.#channels.set(channel, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#channels.delete(channel);
    };
  }

  readonly #clientCommands = new Map<string, (argv: readonly string[]) => Reply>([
    ["EVAL", (argv) => this.#eval(argv, (source) => this.scripts.load(source).script)],
    ["EVALSHA", (argv) => this.#eval(argv, (sha) => this.scripts.bySha(sha))],
    ["SCRIPT", (argv) => this.#script(argv)],
  ]);

  #eval(argv: readonly string[], find: (text: string) => CompiledScript): Reply {
    if (argv.length < 3) throw wrongArity(at(argv, 0));
    const keyCount = integerIn(at(argv, 2));
    if (keyCount > argv.length - 3) {
      throw new RedisError("ERR Number of keys can't be greater than number of args");
    }
    if (keyCount < 0) throw new RedisError("ERR Number of keys can't be negative");
    return this.evaluate(find(at(argv, 1)), argv.slice(3), keyCount);
  }

  #script(argv: readonly string[]): Reply {
    const subcommand = at(argv, 1).toUpperCase();
    if (subcommand === "LOAD" && argv.length === 3) return this.scripts.load(at(argv, 2)).sha;
    if (subcommand !== "FLUSH" || argv.length > 3) {
      throw new RedisError(`ERR unknown subcommand '${at(argv, 1)}'. Try SCRIPT HELP.`);
    }
    this.scripts.flush();
    return OK;
  }

  /** Moves the keys' time to the clock's: before every command, and before keys are inspected. */
  tick(): void {
    const nowUs = this.#clock();
    this.#context.nowUs = nowUs;
    this.keys.nowMs = Math.floor(nowUs / 1_000);
  }

  /** A script that has written may continue, whatever it allocates: it cannot be stopped halfway. */
  #scriptHost(): ScriptHost {
    const isOutOfMemory = this.isOutOfMemory;
    let hasWritten = false;
    return {
      isAllowed: this.#context.version < 700 ? undefined : (argv) => this.#isAllowed(argv),
      call: (argv) => {
        const name = at(argv, 0);
        const command = this.#commandOf(name);
        if (command === undefined) {
          throw new RedisError("ERR Unknown Redis command called from script");
        }
        if (!hasArity(command, this.#context.version, argv.length)) {
          throw new RedisError("ERR Wrong number of args calling Redis command from script");
        }
        if (this.denied.size > 0) this.#permit(name.toUpperCase());
        if (isOutOfMemory && !hasWritten && command.growsMemory === true) throw new RedisError(OOM);
        if (command.writes === true) hasWritten = true;
        return command.run(this.#context, argv);
      },
    };
  }

  #isAllowed(argv: readonly string[]): boolean {
    const name = at(argv, 0).toUpperCase();
    if (!this.#clientCommands.has(name) && this.#commandOf(name) === undefined) {
      throw new RedisError("ERR Invalid command passed to redis.acl_check_cmd()");
    }
    return !this.denied.has(name);
  }

  #commandOf(name: string): Command | undefined {
    const command = commandOf(name) ?? this.#more[name.toUpperCase()];
    return (command?.since ?? 0) > this.#context.version ? undefined : command;
  }

  #permit(name: string): void {
    if (!this.denied.has(name)) return;
    const words = `User default has no permissions to run the '${name.toLowerCase()}' command`;
    throw new RedisError(`NOPERM ${words}`);
  }

  #publish(channel: string, message: string): number {
    const count = this.#listenerCount(channel);
    for (const { onMessage } of [...(this.#channels.get(channel) ?? [])]) onMessage(message);
    return count;
  }

  #listenerCount(channel: string): number {
    return [...(this.#channels.get(channel) ?? [])].filter(({ isCounted }) => isCounted()).length;
  }

  #info(section: string): string {
    const { run_id, role, maxmemory, maxmemory_policy } = this.about;
    const sections = [
      [
        "server",
        `redis_version:${this.#version.join(".")}.0`,
        `run_id:${run_id}`,
        "redis_mode:standalone",
      ],
      ["memory", `maxmemory:${maxmemory}`, `maxmemory_policy:${maxmemory_policy}`],
      ["replication", `role:${role}`],
    ] as const;
    const isAll = /^(all|default|everything|)$/.test(section);
    return sections
      .filter(([name]) => isAll || name === section)
      .map(([name, ...lines]) => [`# ${name[0]?.toUpperCase()}${name.slice(1)}`, ...lines, ""])
      .map((lines) => lines.join("\r\n"))
      .join("\r\n");
  }
}
