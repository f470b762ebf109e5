// The process of the stream trials that is killed: starts one turn without a reader, and writes its id.
// It writes `turn ID` when the message is stored, and runs until it is killed.
import { parseArgs } from "node:util";
import { openStore } from "../../src/store/open-store.ts";
import { openStreamingAgent } from "./streaming-agent.ts";

const { values } = parseArgs({
  options: { folder: { type: "string", default: "" }, url: { type: "string" }, agent: { type: "string", default: "" } },
});

const { url, folder } = values;
const store = await openStore({
  connection: url === undefined ? { kind: "embedded", folder, host: "process" } : { kind: "server", url },
});
const { agent } = await openStreamingAgent(store, values.agent);
const turn = await agent.start("Count slowly.");
process.stdout.write(`turn ${turn.id}\n`);
