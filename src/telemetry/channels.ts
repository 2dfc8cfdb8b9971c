import {
  channel,
  tracingChannel,
  type Channel,
  type TracingChannel,
} from "node:diagnostics_channel";
import type {
  AcquireMessage,
  ExtendMessage,
  LateMessage,
  LostMessage,
  NodeMessage,
  ReleaseMessage,
  RequestMessage,
  RoundMessage,
  WaitingMessage,
} from "./messages.js";

/** A channel whose messages are of one type. */
export interface TypedChannel<Message> extends Omit<Channel, "publish"> {
  publish(message: Message): void;
}

const traced = <Message extends object>(name: string): TracingChannel<unknown, Message> =>
  tracingChannel(`quorate:${name}`);
const plain = <Message>(name: string): TypedChannel<Message> => channel(`quorate:${name}`);

/** All channels. A message is built only if there are subscribers. */
export const CHANNELS = {
  acquire: traced<AcquireMessage>("acquire"),
  extend: traced<ExtendMessage>("extend"),
  release: traced<ReleaseMessage>("release"),
  request: traced<RequestMessage>("request"),
  round: plain<RoundMessage>("round"),
  late: plain<LateMessage>("late"),
  lost: plain<LostMessage>("lost"),
  node: plain<NodeMessage>("node"),
  waiting: plain<WaitingMessage>("waiting"),
} as const;
