// The benchmarks: `npm run bench`, or `npm run bench -- turn --json out.json`, or `npm run bench -- search --most 100000`. Prints
// tables; writes JSON when asked to, to standard output where no file is named. `npm run bench -- locomo --data FOLDER` needs data
// of yours, and only runs when it is named.
// Ratios are over a floor that is measured in the same run; absolute times say as much about the machine.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { benchLocomo } from "./locomo/recall-locomo.ts";
import { printTable, type Row } from "./measure.ts";
import { benchContext } from "./context.ts";
import { benchSearch } from "./search.ts";
import { benchStart } from "./start.ts";
import { benchTiers } from "./tiers.ts";
import { benchTui } from "./tui.ts";
import { benchTurn } from "./turn.ts";

/** What a benchmark gives: rows of times, and whatever else it measured, for the JSON. */
interface Measured {
  readonly rows: readonly Row[];
  readonly more?: Readonly<Record<string, unknown>>;
  /** Promised bounds that did not hold; the process then ends with 1. */
  readonly broken?: readonly string[];
}

const { values, positionals } = parseArgs({
  args: withJsonFile(process.argv.slice(2)),
  options: {
    json: { type: "string" },
    max: { type: "string" },
    data: { type: "string" },
    without: { type: "string", multiple: true, default: [] },
    each: { type: "boolean", default: false },
  },
  allowPositionals: true,
});

const suites: Readonly<Record<string, () => Promise<Measured>>> = {
  start: async () => ({ rows: await benchStart() }),
  turn: async () => ({ rows: await benchTurn() }),
  context: benchContext,
  tiers: benchTiers,
  tui: benchTui,
  search: () => benchSearch(values.max === undefined ? {} : { max: mostOf(values.max) }),
  locomo: async () => {
    if (values.data === undefined) throw new Error("Expected `--data FOLDER` with conversations in LoCoMo's form.");
    return benchLocomo({ data: values.data, without: values.without, each: values.each });
  },
};

const names = positionals.length === 0 ? Object.keys(suites).filter((name) => name !== "locomo") : positionals;
const results: Record<string, Measured> = {};
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
    process.stderr.write(`${name}: broken: ${bound}\n`);
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

function mostOf(text: string): number {
  const max = Number(text);
  if (Number.isInteger(max) && max >= 1000) return max;
  process.stderr.write(`--most: expected a whole number from 1000, got "${text}".\n`);
  process.exit(2);
}
