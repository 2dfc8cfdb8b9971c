import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Span,
  type Tracer,
} from "@opentelemetry/api";
import { CHANNELS } from "../../telemetry/channels.js";
import type { AcquireMessage, ExtendMessage, RequestMessage } from "../../telemetry/messages.js";
import type { Groups } from "./groups.js";
import type { Subscriptions } from "./subscriptions.js";

/** Outcomes of an acquire that count as failures. Contention does not. */
const FAILED: readonly unknown[] = ["unreachable", "split", "exhausted", "error"];

/** Creates spans until the subscriptions end. */
export function traceLocks(tracer: Tracer, groups: Groups, subscriptions: Subscriptions): void {
  const acquires = new WeakMap<AcquireMessage, Span>();
  const holds = new WeakMap<RequestMessage, Span>();
  subscriptions.traced(CHANNELS.acquire, {
    start: (message) => {
      const attributes = { ...lockAttributes(message), "quorate.wait_ms": message.waitMs };
      acquires.set(message, startSpan(tracer, `acquire ${groups.of(message.names)}`, attributes));
    },
    asyncEnd: (message) => {
      const span = acquires.get(message);
      if (span !== undefined) endAcquire(span, message);
    },
  });
  subscriptions.traced(CHANNELS.request, {
    start: (message) => {
      const name = `hold ${groups.of(message.names)}`;
      const span = startSpan(tracer, name, { ...lockAttributes(message), ...token(message) });
      holds.set(message, span);
      // So that spans of the callback become children of this one.
      const within = trace.setSpan(context.active(), span);
      message.around((run) => context.with(within, run));
    },
    asyncEnd: (message) => {
      const span = holds.get(message);
      if (span !== undefined) endHold(span, message);
    },
  });
  subscriptions.traced(CHANNELS.extend, {
    asyncEnd: (message) => {
      const isWorthIt =
        message.isLate || message.outcome === "failed" || message.outcome === "lost";
      if (message.isRenewal && isWorthIt) spanOfRenewal(tracer, message, groups);
    },
  });
}

function startSpan(tracer: Tracer, name: string, attributes: Attributes): Span {
  return tracer.startSpan(name, { kind: SpanKind.INTERNAL, attributes });
}

function endAcquire(span: Span, message: AcquireMessage): void {
  const { outcome, attempts, attemptCount, error, reentrant } = message;
  for (const attempt of attempts) {
    const { tally } = attempt;
    span.addEvent(
      "attempt",
      { "quorate.outcome": attempt.outcome, "quorate.tally": tally },
      attempt.atMs,
    );
  }
  span.setAttributes({
    ...{ "quorate.outcome": outcome ?? "error", "quorate.attempts": attemptCount },
    ...{ "quorate.reentrant": reentrant, ...token(message) },
  });
  if (FAILED.includes(outcome)) fail(span, error);
  span.end();
}

/** An error of the callback is not an error of the hold: its caller decides what it means. */
function endHold(span: Span, { outcome }: RequestMessage): void {
  span.setAttribute("quorate.outcome", outcome ?? "threw");
  if (outcome === "lost") {
    span.setStatus({ code: SpanStatusCode.ERROR, message: "the lock was lost" });
  }
  span.end();
}

/** A root span: a renewal belongs to no call. */
function spanOfRenewal(tracer: Tracer, message: ExtendMessage, groups: Groups): void {
  const { names, outcome = "failed", durationMs, lateMs, validAfterMs } = message;
  const endMs = Date.now();
  const attributes = {
    ...lockAttributes(message),
    ...token(message),
    ...{ "quorate.outcome": outcome, "quorate.late_ms": lateMs, "quorate.valid_ms": validAfterMs },
  };
  const options = { kind: SpanKind.INTERNAL, attributes, startTime: endMs - durationMs };
  const span = tracer.startSpan(`renew ${groups.of(names)}`, options, ROOT_CONTEXT);
  if (outcome === "lost") {
    span.setStatus({ code: SpanStatusCode.ERROR, message: "the lock was lost" });
  } else if (outcome === "failed") {
    span.setStatus({ code: SpanStatusCode.ERROR, message: "too few nodes answered" });
  }
  span.end(endMs);
}

function lockAttributes({ names, mode }: Pick<AcquireMessage, "names" | "mode">): Attributes {
  return { "quorate.names": [...names], "quorate.mode": mode };
}

function token({ fencingToken }: Pick<AcquireMessage, "fencingToken">): Attributes {
  return fencingToken === undefined ? {} : { "quorate.fencing_token": fencingToken };
}

function fail(span: Span, error: unknown): void {
  if (error instanceof Error) {
    span.setAttribute("error.type", "code" in error ? String(error.code) : error.name);
    span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
  } else span.setStatus({ code: SpanStatusCode.ERROR });
}
