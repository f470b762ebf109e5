// The benchmarks: `npm run bench`, or `npm run bench -- turn --json out.json`. Prints tables; writes JSON when asked to.
// Ratios are over a floor that is measured in the same run; absolute times say as much about the machine.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { printTable, type Row } from "./measure.ts";
import { benchStart } from "./start.ts";
import { benchTurn } from "./turn.ts";

const suites: Readonly<Record<string, () => Promise<readonly Row[]>>> = { start: benchStart, turn: benchTurn };

const { values, positionals } = parseArgs({ options: { json: { type: "string" } }, allowPositionals: true });
const names = positionals.length === 0 ? Object.keys(suites) : positionals;
const results: Record<string, readonly Row[]> = {};
for (const name of names) {
  const suite = suites[name];
  if (suite === undefined) {
    process.stderr.write(`There is no benchmark "${name}". There are: ${Object.keys(suites).join(", ")}.\n`);
    process.exit(2);
  }
  const rows = await suite();
  results[name] = rows;
  printTable(name, rows);
}
if (values.json !== undefined) {
  const machine = { node: process.version, platform: process.platform, arch: process.arch };
  writeFileSync(values.json, `${JSON.stringify({ machine, results }, null, 2)}\n`);
}
