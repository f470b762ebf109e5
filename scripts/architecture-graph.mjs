// Generates the import graph of the rooms in docs/architecture.md, between its markers; --check fails if they differ.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cruise } from "dependency-cruiser";
import extractConfig from "dependency-cruiser/config-utl/extract-depcruise-options";

const root = join(import.meta.dirname, "..");
const document = join(root, "docs", "architecture.md");
const start = "<!-- graph:start -->";
const end = "<!-- graph:end -->";
// Every room imports it: its edges would hide all others.
const leftOut = new Set(["base"]);

process.chdir(root);
const text = readFileSync(document, "utf8");
const from = text.indexOf(start);
const to = text.indexOf(end);
if (from < 0 || to < from) fail(`${document} must contain ${start} and, after it, ${end}`);

const options = await extractConfig("./.dependency-cruiser.cjs");
const { output } = await cruise(["src", "tools", "bin"], options);
const edges = edgesBetweenRooms(output.modules);
if (edges.length === 0) fail("found no import between folders: something is wrong with the configuration");
const graph = ["```mermaid", "graph TD", ...edges.map(([a, b]) => `  ${a} --> ${b}`), "```"].join("\n");
const drawn = `${text.slice(0, from + start.length)}\n${graph}\n${text.slice(to)}`;

if (process.argv.includes("--check")) {
  if (drawn !== text) fail("docs/architecture.md has another import graph than the code: npm run docs:graph");
  process.stdout.write(`architecture-graph: ${edges.length} edges, in sync with the code\n`);
} else {
  writeFileSync(document, drawn);
  process.stdout.write(`architecture-graph: ${edges.length} edges drawn\n`);
}

function edgesBetweenRooms(modules) {
  const found = new Set();
  for (const { source, dependencies } of modules) {
    for (const { resolved } of dependencies) {
      const pair = [roomOf(source), roomOf(resolved)];
      const drawable = pair.every((room) => room && !leftOut.has(room)) && pair[0] !== pair[1];
      if (drawable) found.add(pair.join(" "));
    }
  }
  return [...found].sort().map((pair) => pair.split(" "));
}

/** Returns `agent` for `src/agent/run-turn.ts`, `tools` for `tools/x.ts`; undefined for packages. */
function roomOf(file) {
  const [, room] = /^(?:src\/)?(?!src\/|node_modules\/)([\w-]+)(?:\.ts$|\/.+\.ts$)/u.exec(file) ?? [];
  return room;
}

function fail(message) {
  process.stderr.write(`architecture-graph: ${message}\n`);
  process.exit(1);
}
