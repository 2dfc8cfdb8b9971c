import { Status } from "../reply.js";
import { at, type Commands } from "./command.js";

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
  PUBLISH: { arity: 3, run: (server, argv) => server.publish(at(argv, 1), at(argv, 2)) },
};
