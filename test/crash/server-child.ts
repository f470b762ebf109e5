// The process of the server trials that is killed: serves the speaking agent over HTTP.
// It writes `ready URL KEY` when it can be asked, and runs until it is killed.
import { parseArgs } from "node:util";
import { createHost } from "../../src/compose.ts";
import { serve } from "../../src/server/serve.ts";
import { increment, speakingModel } from "./streaming-agent.ts";

const { values } = parseArgs({ options: { folder: { type: "string", default: "" }, url: { type: "string" } } });

const { url, folder } = values;
const model = speakingModel();
const host = await createHost({
  ...(url === undefined ? { dataDir: folder } : { databaseUrl: url }),
  model: model.name,
  models: [model],
  embedder: null,
  tools: { add: [increment] },
});
const { secret } = await host.keys.create("ada");
const served = await serve({
  host,
  verify: (key) => host.keys.verify(key),
  version: "0.0.0",
  hostname: "127.0.0.1",
  port: 0,
  share: { requestsPerMinute: 1_000_000 },
  onFailure: (_id, error) => process.stderr.write(`${String(error)}\n`),
});
process.stdout.write(`ready ${served.url} ${secret}\n`);
