// The benchmarks: `npm run bench`, or `npm run bench -- turn --json out.json`. Prints tables; writes JSON when asked to.
// Ratios are over a floor that is measured in the same run; absolute times say as much about the machine.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { printTable, type Row } from "./measure.ts";
import { benchContext } from "./context.ts";
import { benchStart } from "./start.ts";
import { benchTurn } from "./turn.ts";

/** What a benchmark gives: rows of times, and whatever else it measured, for the JSON. */
interface Measured {
  readonly rows: readonly Row[];
  readonly more?: Readonly<Record<string, unknown>>;
}

const suites: Readonly<Record<string, () => Promise<Measured>>> = {
  start: async () => ({ rows: await benchStart() }),
  turn: async () => ({ rows: await benchTurn() }),
  context: benchContext,
};

const { values, positionals } = parseArgs({ options: { json: { type: "string" } }, allowPositionals: true });
const names = positionals.length === 0 ? Object.keys(suites) : positionals;
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
}
if (values.json !== undefined) {
  const facts = Object.assign({}, ...Object.values(results).map(({ more }) => more ?? {}));
  const machine = { node: process.version, platform: process.platform, arch: process.arch };
  writeFileSync(values.json, `${JSON.stringify({ machine, ...facts, results }, null, 2)}\n`);
}
