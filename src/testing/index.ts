export { FleetNode } from "./fleet-node.js";
export { flushNodes } from "./flush-nodes.js";
export type { CommandedNode } from "./flush-nodes.js";
export { RedisFleet } from "./fleet.js";
export type { LinkDirection } from "./link-faults.js";
export type {
  DelayOptions,
  FleetOptions,
  ProviderName,
  RedisContainerOptions,
  RedisProcessOptions,
  TcpLinkOptions,
} from "./options.js";
export { RedisContainer } from "./redis-container.js";
export { RedisProcess } from "./redis-process.js";
export type {
  RedisProvider,
  RedisServer,
  RedisServerOptions,
  RedisTlsFiles,
  RestartOptions,
} from "./redis-provider.js";
export { ServerClock } from "./server-clock.js";
export { TcpLink } from "./tcp-link.js";
export { transportChecks } from "./transport-checks.js";
export type { TransportCheck } from "./transport-checks.js";
export type { CommandConnection, CommandTransport } from "../redis/command-transport.js";
export { UnavailableError } from "./unavailable-error.js";
export type { UnavailableCode } from "./unavailable-error.js";
