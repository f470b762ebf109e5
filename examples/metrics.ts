// The counters of a host as Prometheus text, for an endpoint that a scraper reads, and its health for a load balancer.
import { strict as assert } from "node:assert";
import { createHost, type HostCounters } from "palimpsest";

function prometheusText({ turns, tokens, modelCalls, connections, backFill, users }: HostCounters): string {
  const outcomes = { ...turns.ended, refused: turns.refused, failed: turns.failed };
  return [
    "# TYPE palimpsest_turns_total counter",
    ...Object.entries(outcomes).map(([outcome, count]) => `palimpsest_turns_total{outcome="${outcome}"} ${count}`),
    "# TYPE palimpsest_tokens_total counter",
    `palimpsest_tokens_total{type="input"} ${tokens.inputTokens}`,
    `palimpsest_tokens_total{type="output"} ${tokens.outputTokens}`,
    "# TYPE palimpsest_model_calls_total counter",
    `palimpsest_model_calls_total ${modelCalls}`,
    "# TYPE palimpsest_vectors_total counter",
    `palimpsest_vectors_total ${backFill.vectors}`,
    "# TYPE palimpsest_turns gauge",
    `palimpsest_turns{state="running"} ${turns.running}`,
    `palimpsest_turns{state="waiting"} ${turns.waiting}`,
    "# TYPE palimpsest_connections gauge",
    `palimpsest_connections{state="used"} ${connections.open - connections.idle}`,
    `palimpsest_connections{state="idle"} ${connections.idle}`,
    "# TYPE palimpsest_connection_waiters gauge",
    `palimpsest_connection_waiters ${connections.waiting}`,
    "# TYPE palimpsest_users gauge",
    `palimpsest_users ${users}`,
    "",
  ].join("\n");
}

const host = await createHost({ dataDir: "data", model: "demo", embedding: "none" });
const agent = await host.forUser("ada").agents.open("assistant", { create: { human: "" } });
for await (const event of agent.send("Hello")) if (event.type === "turn-end") process.stdout.write(`${event.text}\n`);

const text = prometheusText(host.counters());
process.stdout.write(text);
assert.match(text, /^palimpsest_turns_total\{outcome="end-turn"\} 1$/mu);
const { status, database } = await host.health();
process.stdout.write(`${status}, the database answers in ${database.latencyMs?.toFixed(1)} ms\n`);
assert.equal(status, "ok");
await host.close();
