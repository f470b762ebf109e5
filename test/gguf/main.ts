// A conversation with a real model from a file: npm run test:gguf -- FILE.gguf [--context-window N] [--only direct|default|assist]
// Prints what was said, which tools were called with what, how long it took, and what does not hold. Without a file, or
// without node-llama-cpp (installed, or in a folder of NODE_PATH), it says so and does nothing.
import { parseArgs } from "node:util";
import { isGgufReady } from "../../src/runtime/compose/create-models.ts";
import { askDirectly } from "./ask-directly.ts";
import { converse } from "./converse.ts";
import { keepFacts } from "./keep-facts.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { "context-window": { type: "string", default: "8192" }, only: { type: "string" } },
});
const [file] = positionals;
const log = (line: string): void => void process.stdout.write(`${line}\n`);

if (file === undefined) log("skipped: no file was given. npm run test:gguf -- FILE.gguf");
else if (!isGgufReady()) log("skipped: node-llama-cpp is not installed, here or in a folder of NODE_PATH.");
else {
  const trial = { file, contextWindow: Number(values["context-window"]), log };
  const trials = { direct: askDirectly, default: converse, assist: keepFacts };
  const violations: string[] = [];
  for (const [name, run] of Object.entries(trials)) {
    if (values.only === undefined || values.only === name) violations.push(...(await run(trial)));
  }
  for (const violation of violations) log(`VIOLATION ${violation}`);
  log(`${violations.length} violations`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
