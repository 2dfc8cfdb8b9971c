import { RedisError } from "../errors.js";
import { Status, type Reply } from "../reply.js";
import { at, type CommandContext, type Commands } from "./command.js";

export const SERVER_COMMANDS: Commands = {
  TIME: {
    arity: 1,
    run: ({ nowUs }) => [String(Math.floor(nowUs / 1e6)), String(Math.floor(nowUs) % 1e6)],
  },
  INFO: { arity: -1, run: (server, argv) => server.info(at(argv, 1).toLowerCase()) },
  FLUSHALL: {
    arity: -1,
    writes: true,
    run: ({ keys }) => {
      for (const key of [...keys.entries()].map(([each]) => each)) keys.delete(key);
      return new Status("OK");
    },
  },
  PUBSUB: { arity: -2, run: pubSub },
  PUBLISH: { arity: 3, run: (server, argv) => server.publish(at(argv, 1), at(argv, 2)) },
};

function pubSub(server: CommandContext, argv: readonly string[]): Reply {
  const subcommand = at(argv, 1).toUpperCase();
  if (subcommand !== "NUMSUB") {
    throw new RedisError(`ERR unknown subcommand '${at(argv, 1)}'. Try PUBSUB HELP.`);
  }
  return argv.slice(2).flatMap((channel) => [channel, server.listenerCount(channel)]);
}
