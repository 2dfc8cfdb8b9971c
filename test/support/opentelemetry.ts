import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { context, metrics, propagation, trace } from "@opentelemetry/api";
import { PrometheusExporter } from "@opentelemetry/exporter-prometheus";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace-node";

/** The SDK as the global providers, until it is disposed of: metrics are scraped over HTTP, spans are kept. */
export class Sdk implements AsyncDisposable {
  readonly #server: Server;
  readonly #exporter = new PrometheusExporter({ preventServerStart: true });
  readonly #meters = new MeterProvider({ readers: [this.#exporter] });
  readonly #kept = new InMemorySpanExporter();
  readonly #tracers = new NodeTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(this.#kept)],
  });

  private constructor() {
    metrics.setGlobalMeterProvider(this.#meters);
    this.#tracers.register();
    this.#server = createServer((request, response) =>
      this.#exporter.getMetricsRequestHandler(request, response),
    );
  }

  static async start(): Promise<Sdk> {
    const sdk = new Sdk();
    await new Promise<void>((resolve) => sdk.#server.listen(0, "127.0.0.1", resolve));
    return sdk;
  }

  get spans(): ReadableSpan[] {
    return this.#kept.getFinishedSpans();
  }

  /** What Prometheus gets. */
  async scrape(): Promise<string> {
    const { port } = this.#server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    return response.text();
  }

  /** Values by series; those of histograms are their counts. Buckets, sums and what is of the SDK are left out. */
  async series(): Promise<Map<string, number>> {
    const lines = (await this.scrape()).split("\n");
    return new Map(
      lines.flatMap((line): [string, number][] => {
        const [, name, labels = "", value] = /^(quorate_\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
        if (name === undefined || /_(?:bucket|sum)$/.test(name)) return [];
        const own = labels
          .split(/,(?=\w+=")/)
          .filter((label) => !label.startsWith("otel_scope") && label !== "");
        return [[`${name}{${own.join()}}`, Number(value)]];
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await Promise.all([this.#meters.shutdown(), this.#tracers.shutdown()]);
    for (const api of [metrics, trace, context, propagation]) api.disable();
  }
}
