// Generates the import graph of the folders in docs/architecture.md, between its markers; --check fails if they differ.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cruise } from "dependency-cruiser";
import extractConfig from "dependency-cruiser/config-utl/extract-depcruise-options";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const document = join(root, "docs", "architecture.md");
const start = "<!-- graph:start -->";
const end = "<!-- graph:end -->";
// Every folder imports these: they would hide all other edges.
const leftOut = new Set(["errors", "message", "base"]);

process.chdir(root);
const text = readFileSync(document, "utf8");
const from = text.indexOf(start);
const to = text.indexOf(end);
if (from < 0 || to < from) fail(`${document} must contain ${start} and, after it, ${end}`);

const options = await extractConfig("./.dependency-cruiser.cjs");
const { output } = await cruise(["src", "tools", "bin"], options);
const edges = edgesBetweenPlaces(output.modules);
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

function edgesBetweenPlaces(modules) {
  const found = new Set();
  for (const { source, dependencies } of modules) {
    for (const { resolved } of dependencies) {
      const pair = [placeOf(source), placeOf(resolved)];
      const drawable = pair.every((place) => place && !leftOut.has(place)) && pair[0] !== pair[1];
      if (drawable) found.add(pair.join(" "));
    }
  }
  return [...found].sort().map((pair) => pair.split(" "));
}

/** Returns `agent` for `src/agent/run-turn.ts`, `compose` for `src/compose.ts`, `tools` for `tools/x.ts`; undefined for packages. */
function placeOf(file) {
  const [, place] = /^(?:src\/)?(?!src\/|node_modules\/)([\w-]+)(?:\.ts$|\/.+\.ts$)/u.exec(file) ?? [];
  return place;
}

function fail(message) {
  process.stderr.write(`architecture-graph: ${message}\n`);
  process.exit(1);
}
