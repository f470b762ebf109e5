// Returns the server's counters as Prometheus text, on a separate port, so that a proxy need not hide a path.
// Invariant: the text contains no user, agent or requested path; a route has names of parameters instead of values.
import { Hono } from "hono";
import type { Host, HostCounters } from "../../runtime/host.ts";
import type { RequestLine } from "./create-app.ts";

/** Upper bounds of the histogram of request times, in seconds. */
const bounds = [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60];

interface RouteCounts {
  readonly byStatus: Map<number, number>;
  /** For each bound of `bounds`: the number of requests that took at most that long. */
  readonly within: number[];
  seconds: number;
  count: number;
}

export interface RequestMetrics {
  record(line: RequestLine): void;
  /** Returns the counters in Prometheus' text format. */
  text(): string;
}

/** Creates the counters. The measured time of a streamed request ends when the stream begins. */
export function createRequestMetrics(): RequestMetrics {
  const routes = new Map<string, RouteCounts>();
  return {
    record({ method, route, status, ms }) {
      const labels = `method="${method}",route="${route}"`;
      const counts = routes.get(labels) ?? { byStatus: new Map(), within: bounds.map(() => 0), seconds: 0, count: 0 };
      routes.set(labels, counts);
      counts.byStatus.set(status, (counts.byStatus.get(status) ?? 0) + 1);
      for (const [at, bound] of bounds.entries())
        if (ms <= bound * 1000) counts.within[at] = (counts.within[at] ?? 0) + 1;
      counts.seconds += ms / 1000;
      counts.count += 1;
    },
    text: () =>
      lines([
        ...metric("palimpsest_http_requests_total", "counter", "Requests, by route and status."),
        ...[...routes].flatMap(([labels, { byStatus }]) =>
          [...byStatus].map(
            ([status, count]) => `palimpsest_http_requests_total{${labels},status="${status}"} ${count}`,
          ),
        ),
        ...metric("palimpsest_http_request_seconds", "histogram", "Time of a request, or until its stream began."),
        ...[...routes].flatMap(([labels, { within, seconds, count }]) => [
          ...within.map((number, at) => bucket(labels, String(bounds[at]), number)),
          bucket(labels, "+Inf", count),
          `palimpsest_http_request_seconds_sum{${labels}} ${seconds}`,
          `palimpsest_http_request_seconds_count{${labels}} ${count}`,
        ]),
      ]),
  };
}

function bucket(labels: string, bound: string, count: number): string {
  return `palimpsest_http_request_seconds_bucket{${labels},le="${bound}"} ${count}`;
}

export function metricsApp({ host, requests }: { readonly host: Host; readonly requests: RequestMetrics }): Hono {
  const app = new Hono();
  app.get("/metrics", (context) => {
    const text = `${hostText(host.counters())}${requests.text()}${processText()}`;
    return context.body(text, 200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" });
  });
  app.notFound((context) => context.text("The counters are at /metrics.\n", 404));
  return app;
}

function hostText({ users, turns, modelCalls, tokens, connections, backFill }: HostCounters): string {
  const outcomes = { ...turns.ended, refused: turns.refused, failed: turns.failed };
  return lines([
    ...metric("palimpsest_turns_total", "counter", "Turns, by how they ended."),
    ...Object.entries(outcomes).map(([outcome, count]) => `palimpsest_turns_total{outcome="${outcome}"} ${count}`),
    ...metric("palimpsest_turns", "gauge", "Turns now."),
    `palimpsest_turns{state="running"} ${turns.running}`,
    `palimpsest_turns{state="waiting"} ${turns.waiting}`,
    ...metric("palimpsest_model_calls_total", "counter", "Model calls of turns that ended."),
    `palimpsest_model_calls_total ${modelCalls}`,
    ...metric("palimpsest_tokens_total", "counter", "Tokens of turns that ended; cached ones are part of the input."),
    `palimpsest_tokens_total{type="input"} ${tokens.inputTokens}`,
    `palimpsest_tokens_total{type="cached_input"} ${tokens.cachedInputTokens}`,
    `palimpsest_tokens_total{type="output"} ${tokens.outputTokens}`,
    ...metric("palimpsest_vectors_total", "counter", "Vectors made in the background."),
    `palimpsest_vectors_total ${backFill.vectors}`,
    ...metric("palimpsest_connections", "gauge", "Connections to the database now."),
    `palimpsest_connections{state="used"} ${connections.open - connections.idle}`,
    `palimpsest_connections{state="idle"} ${connections.idle}`,
    ...metric("palimpsest_connection_waiters", "gauge", "Transactions that wait for a connection now."),
    `palimpsest_connection_waiters ${connections.waiting}`,
    ...metric("palimpsest_users", "gauge", "Users whose agents are in use now."),
    `palimpsest_users ${users}`,
  ]);
}

/** Returns the metrics of the process, under the names that dashboards for Node use. */
function processText(): string {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  return lines([
    ...metric("process_cpu_seconds_total", "counter", "Processor time of the process."),
    `process_cpu_seconds_total ${(user + system) / 1e6}`,
    ...metric("process_resident_memory_bytes", "gauge", "Memory of the process."),
    `process_resident_memory_bytes ${rss}`,
    ...metric("nodejs_heap_size_used_bytes", "gauge", "Used heap."),
    `nodejs_heap_size_used_bytes ${heapUsed}`,
    ...metric("process_start_time_seconds", "gauge", "When the process began, in seconds since 1970."),
    `process_start_time_seconds ${Math.round(Date.now() / 1000 - process.uptime())}`,
  ]);
}

function metric(name: string, type: "counter" | "gauge" | "histogram", help: string): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function lines(all: readonly string[]): string {
  return `${all.join("\n")}\n`;
}
