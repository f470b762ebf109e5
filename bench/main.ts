// Runs the benchmarks: `npm run bench`, `npm run bench -- turn --json out.json`, `npm run bench -- search --max 100000`. Prints
// tables; with `--json`, writes JSON to a file, or to standard output if no file is named. `locomo --data FOLDER` needs your
// own data, `scale` a server that nothing else uses (BENCH_DATABASE_URL), `neighbors` minutes; they run only if they are named. Ratios are relative to a floor that is measured in the same run; absolute times
// depend on the machine.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { benchChangedFacts } from "./changed-facts/changed-facts.ts";
import { benchLanguages } from "./languages/languages.ts";
import { benchLocomo } from "./locomo/recall-locomo.ts";
import { printTable, type SuiteResult } from "./measure.ts";
import { benchMemory } from "./memory.ts";
import { benchCheckout } from "./checkout.ts";
import { benchContext } from "./context.ts";
import { benchMcp } from "./mcp.ts";
import { benchNeighbors } from "./neighbors.ts";
import { benchScale } from "./scale.ts";
import { benchImport } from "./import.ts";
import { benchSearch } from "./search.ts";
import { benchServe } from "./serve.ts";
import { benchStart } from "./start.ts";
import { benchTiers } from "./tiers.ts";
import { benchTui } from "./tui.ts";
import { benchTurn } from "./turn.ts";

const { values, positionals } = parseArgs({
  args: withJsonFile(process.argv.slice(2)),
  options: {
    json: { type: "string" },
    max: { type: "string" },
    data: { type: "string" },
    without: { type: "string", multiple: true, default: [] },
    each: { type: "boolean", default: false },
    ideal: { type: "boolean", default: false },
    short: { type: "boolean", default: false },
  },
  allowPositionals: true,
});

const suites: Readonly<Record<string, () => Promise<SuiteResult>>> = {
  start: async () => ({ rows: await benchStart() }),
  turn: async () => ({ rows: await benchTurn() }),
  memory: benchMemory,
  import: async () => ({ rows: await benchImport() }),
  checkout: async () => ({ rows: await benchCheckout() }),
  context: benchContext,
  tiers: benchTiers,
  "changed-facts": benchChangedFacts,
  languages: benchLanguages,
  tui: benchTui,
  mcp: benchMcp,
  scale: benchScale,
  serve: () => benchServe({ isShort: values.short }),
  neighbors: () => benchNeighbors(values.short ? { seconds: 2, hasTimes: false } : { seconds: 10, hasTimes: true }),
  search: () => benchSearch(values.max === undefined ? {} : { max: maxOf(values.max) }),
  locomo: async () => {
    if (values.data === undefined)
      throw new Error("Expected `--data FOLDER` with conversations in the format of LoCoMo.");
    return benchLocomo({ data: values.data, without: values.without, each: values.each, ideal: values.ideal });
  },
};

/** Not run unless they are named. */
const named = ["locomo", "scale", "neighbors"];
const names = positionals.length === 0 ? Object.keys(suites).filter((name) => !named.includes(name)) : positionals;
const results: Record<string, SuiteResult> = {};
for (const name of names) {
  const suite = suites[name];
  if (suite === undefined) {
    process.stderr.write(`There is no benchmark "${name}". There are: ${Object.keys(suites).join(", ")}.\n`);
    process.exit(2);
  }
  const measured = await suite();
  results[name] = measured;
  printTable(name, measured.rows);
  for (const bound of measured.broken ?? []) {
    process.stderr.write(`${name}: exceeded: ${bound}\n`);
    process.exitCode = 1;
  }
}
if (values.json !== undefined) {
  const facts = Object.assign({}, ...Object.values(results).map(({ more }) => more ?? {}));
  const machine = { node: process.version, platform: process.platform, arch: process.arch };
  const json = `${JSON.stringify({ machine, ...facts, results }, null, 2)}\n`;
  if (values.json === "-") process.stdout.write(json);
  else writeFileSync(values.json, json);
}

/** `--json` without a file is `--json -`. */
function withJsonFile(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    const next = args[index + 1];
    return arg === "--json" && (next === undefined || next.startsWith("--")) ? ["--json=-"] : [arg];
  });
}

function maxOf(text: string): number {
  const max = Number(text);
  if (Number.isInteger(max) && max >= 1000) return max;
  process.stderr.write(`--max: Expected a whole number, at least 1000, got "${text}".\n`);
  process.exit(2);
}
