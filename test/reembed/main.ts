// Re-embeds 20,000 passages while its process is killed ten times at random: npm run test:reembed
// Runs on the embedded engine, or on the server of TEST_DATABASE_URL. Prints what it took, and the violations.
import { parseArgs } from "node:util";
import { runReembedTrial } from "./run-reembed-trial.ts";

const { values } = parseArgs({
  options: { passages: { type: "string", default: "20000" }, kills: { type: "string", default: "10" } },
});
const found = await runReembedTrial({
  passages: Number(values.passages),
  kills: Number(values.kills),
  log: (line) => process.stdout.write(`${line}\n`),
});
const { use, killed, madeLast, seconds, violations } = found;
process.stdout.write(
  `killed ${killed} times, done after ${seconds.toFixed(1)} s; the last run made ${madeLast} vectors\n`,
);
process.stdout.write(
  `${use.searches} searches meanwhile: p50 ${use.p50} ms, p95 ${use.p95} ms, longest ${use.longest} ms; ${use.inserted} inserts\n`,
);
for (const violation of violations) process.stdout.write(`VIOLATION ${violation}\n`);
process.stdout.write(`${violations.length} violations\n`);
process.exitCode = violations.length === 0 && killed === Number(values.kills) ? 0 : 1;
