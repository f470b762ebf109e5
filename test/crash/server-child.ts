// The process of the server trials that is ended: serves the speaking agent over HTTP, to readers that are slow where a tool is
// called. It writes `ready URL KEY` when it can be asked, and runs until it is killed or ended by SIGTERM.
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Agent } from "../../src/agent/agent.ts";
import type { TurnEvents } from "../../src/agent/turn-options.ts";
import { createHost } from "../../src/runtime/compose/compose.ts";
import type { Host } from "../../src/runtime/host.ts";
import { serve } from "../../src/surfaces/http/serve.ts";
import { increment, speakingModel } from "./streaming-agent.ts";

const { values } = parseArgs({ options: { folder: { type: "string", default: "" }, url: { type: "string" } } });

/** Maximum milliseconds that a reader takes for a call. */
const slownessMs = 500;

async function* slowly(
  events: TurnEvents,
): AsyncGenerator<Awaited<ReturnType<TurnEvents["next"]>>["value"] & {}, void> {
  for await (const event of events) {
    yield event;
    if (event.type === "tool-call") await sleep(Math.random() * slownessMs);
  }
}

/** A network or a client that is slow, without a connection that really is. */
function readSlowly(host: Host): Host {
  const slow = (agent: Agent): Agent =>
    Object.create(agent, {
      send: { value: (...given: Parameters<Agent["send"]>) => slowly(agent.send(...given)) },
    }) as Agent;
  return {
    ...host,
    forUser(userId) {
      const runtime = host.forUser(userId);
      const open: typeof runtime.agents.open = async (...given) => slow(await runtime.agents.open(...given));
      return { ...runtime, agents: { ...runtime.agents, open } };
    },
  };
}

const { url, folder } = values;
const model = speakingModel();
const host = await createHost({
  ...(url === undefined ? { dataDir: folder } : { databaseUrl: url }),
  model: model.name,
  models: [model],
  embedder: null,
  tools: { add: [increment] },
});
const { secret } = await host.keys.create("ada", { scope: "admin" });
const served = await serve({
  host: readSlowly(host),
  verify: (key) => host.keys.verify(key),
  version: "0.0.0",
  hostname: "127.0.0.1",
  port: 0,
  share: { requestsPerMinute: 1_000_000 },
  onFailure: (_id, error) => process.stderr.write(`${String(error)}\n`),
});
process.once("SIGTERM", () => {
  void served.close({ graceMs: 50 }).then(() => process.exit());
});
process.stdout.write(`ready ${served.url} ${secret}\n`);
