// A host in a process of its own, for tests that change data which another process has in memory. Each message is a path of
// names and calls from the host, or from an agent that an earlier message opened.
import { createHost } from "../../dist/library/index.js";

const usage = { inputTokens: 100, outputTokens: 5, cachedInputTokens: 0 };
const modelNamed = (name) => ({
  name,
  contextWindow: 1_000_000,
  async *stream() {
    yield { type: "text-delta", text: "Noted." };
    yield { type: "end", stopReason: "end", usage };
  },
});

const models = ["one", "two"].map(modelNamed);
const host = await createHost({
  ...JSON.parse(process.argv[2]),
  model: "one",
  models,
  embedder: null,
  timeZone: "UTC",
});
const opened = [];

process.on("message", (message) => void answer(message));

async function answer({ id, agent, steps }) {
  try {
    let [owner, value] = [undefined, agent === null ? host : opened[agent]];
    for (const step of steps) {
      [owner, value] = Array.isArray(step) ? [undefined, value.apply(owner, step)] : [value, value[step]];
    }
    const result = await value;
    const isAgent = typeof result?.send === "function";
    process.send(isAgent ? { id, agent: opened.push(result) - 1 } : { id, result });
  } catch (error) {
    process.send({ id, failure: String(error?.stack ?? error) });
  }
}

process.on("disconnect", () => void host.close().then(() => process.exit()));
process.send({ id: null });
