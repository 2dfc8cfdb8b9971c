import { Deployment, type DeploymentWarning } from "../../src/channel/deployment.js";
import { NodeChannel } from "../../src/channel/node-channel.js";
import type { ChannelSettings } from "../../src/channel/channel-settings.js";
import type { Transport } from "../../src/channel/transport.js";
import {
  newOperation,
  type AnyOperation,
  type Operation,
  type OperationKind,
  type Vote,
} from "../../src/protocol/operation.js";
import { ManualClock } from "./manual-clock.js";
import { at } from "./nodes.js";
import { ScriptedTransport, type ScriptedConnection } from "./scripted-transport.js";
import { seededEntropy } from "./seeded-entropy.js";
import { keysOf } from "../../src/kinds/exclusive.js";

export const MAX_TTL_MS = 10_000;

/** How long a quarantine lasts on our clock: the longest ttl, and what clocks may differ in rate. */
export const QUARANTINE_MS = 10_102;

export const WINDOW_MS = 2_000;

export function operation(
  kind: OperationKind,
  ownerId: string,
  over: Partial<AnyOperation> = {},
): Operation {
  return newOperation(kind, {
    keys: keysOf("lock:", "invoice"),
    ownerId,
    ttlMs: 1_000,
    fence: 7,
    sendBeforeMs: Number.POSITIVE_INFINITY,
    ...over,
  });
}

export interface ClientSettings extends Partial<ChannelSettings> {
  readonly isQuarantineOn?: boolean;
  readonly isBootstrapOn?: boolean;
  readonly firstTtlMs?: number;
}

/** One client: its channels to all nodes, over the transports given, and what they told. */
export class ChannelClient {
  readonly channels: readonly NodeChannel[];
  readonly deployment: Deployment;
  readonly clock: ManualClock;
  readonly warnings: DeploymentWarning[] = [];
  /** By node: the states told, in order. */
  readonly told: string[][];

  constructor(
    clock: ManualClock,
    transports: readonly Transport[],
    settings: ClientSettings = {},
    seed = 1,
  ) {
    const nodeCount = transports.length;
    const { isQuarantineOn = true, isBootstrapOn = true, raisedTtlMs = MAX_TTL_MS } = settings;
    const firstTtlMs = settings.firstTtlMs ?? raisedTtlMs;
    this.clock = clock;
    this.deployment = new Deployment(
      {
        nodeCount,
        keyPrefix: "lock:",
        names: transports.map(({ name }, index) => `${name}#${index}`),
        isLooking: settings.isLooking ?? false,
        ...{ maxTtlMs: raisedTtlMs, raisesTtl: raisedTtlMs > 0, firstTtlMs, usualTtlMs: 1_000 },
        clockStepMs: 0,
        driftFactor: 0.01,
        isQuarantineOn,
        isBootstrapOn,
        windowMs: WINDOW_MS,
        warn: (warning) => this.warnings.push(warning),
        onCorrection: () => {},
      },
      clock,
    );
    this.told = transports.map(() => []);
    const entropy = seededEntropy(seed);
    const channelSettings = {
      nodeCount,
      raisedTtlMs,
      driftFactor: 0.01,
      isDurable: false,
      isLooking: false,
      isEvictionAllowed: false,
      isRunIdOptional: false,
      areScriptsAtomic: false,
      isIncarnationCompared: isQuarantineOn,
      handshakeTimeoutMs: 100,
      suspectAfterMs: 50,
      giveUpAfterMs: 500,
      ...settings,
    };
    this.channels = transports.map(
      (transport, index) =>
        new NodeChannel(
          index,
          transport,
          channelSettings,
          this.deployment,
          clock,
          entropy,
          (state) => this.told[index]?.push(state),
        ),
    );
    for (const channel of this.channels) channel.start();
  }

  get states(): string[] {
    return this.channels.map(({ state }) => state);
  }

  close(): void {
    this.deployment.close();
    for (const channel of this.channels) channel.close();
  }
}

/** One channel to one scripted node, with every answer that its operations got. */
export class ChannelBench {
  readonly clock = new ManualClock();
  readonly transport = new ScriptedTransport();
  readonly client: ChannelClient;
  readonly channel: NodeChannel;
  /** By `kind ownerId`. */
  readonly votes = new Map<string, Vote>();

  constructor(settings: ClientSettings = {}) {
    this.client = new ChannelClient(this.clock, [this.transport], settings);
    this.channel = at(this.client.channels, 0);
  }

  /** The connection opened last. */
  get connection(): ScriptedConnection {
    return this.transport.last;
  }

  /** Lets time pass until the channel opens another connection; tells how long that took. */
  toNextConnection(): number {
    const { connections } = this.transport;
    const [startMs, before] = [this.clock.steady(), connections.length];
    while (connections.length === before) this.clock.advance(1);
    return this.clock.steady() - startMs;
  }

  submit(
    kind: OperationKind,
    ownerId: string,
    { mayHold = false, ...over }: Partial<AnyOperation> & { readonly mayHold?: boolean } = {},
  ): void {
    const key = `${kind} ${ownerId}`;
    const onVote = (index: number, vote: Vote): void => {
      if (index !== 0) throw new Error(`${key} was answered as by node ${index}`);
      const mayBeAgain = kind === "release" && this.votes.get(key)?.kind === "fault";
      if (this.votes.has(key) && !mayBeAgain) throw new Error(`${key} was answered twice`);
      this.votes.set(key, vote);
    };
    this.channel.submit(operation(kind, ownerId, over), { onVote }, mayHold);
  }

  /** Submits, ends the tick, and leaves the answer to the test. */
  send(
    kind: OperationKind,
    ownerId: string,
    over: Partial<AnyOperation> & { readonly mayHold?: boolean } = {},
  ): void {
    this.submit(kind, ownerId, over);
    this.clock.flush();
  }
}
