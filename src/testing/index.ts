export { FleetNode } from "./fleet-node.js";
export { RedisFleet } from "./fleet.js";
export type { FleetOptions } from "./fleet.js";
export type { ProviderName } from "./find-provider.js";
export type { LinkDirection } from "./link-faults.js";
export { RedisContainer } from "./redis-container.js";
export type { RedisContainerOptions } from "./redis-container.js";
export { RedisProcess } from "./redis-process.js";
export type { RedisProcessOptions } from "./redis-process.js";
export type {
  RedisProvider,
  RedisServer,
  RedisServerOptions,
  RedisTlsFiles,
  RestartOptions,
} from "./redis-provider.js";
export { ServerClock } from "./server-clock.js";
export { TcpLink } from "./tcp-link.js";
export type { DelayOptions, TcpLinkOptions } from "./tcp-link.js";
export { UnavailableError } from "./unavailable-error.js";
export type { UnavailableCode } from "./unavailable-error.js";
