// Kills processes that run turns, compact windows, stream replies, serve clients, restore backups, forget, consolidate, let agents write to each other and re-embed, again and again, and
// checks what is left:
// npm run test:crash. Runs on the embedded engine, or on the server of TEST_DATABASE_URL. `--trials 300` is the full form: so many of
// turns and of readers, a sixth of that of forgettings, and a third of each other kind. `--only KIND` runs one kind. `--broken-order memory|node|compaction` and
// `--halves` break something, to show that it is found. Prints a histogram, the violations and, last, how many trials there were.
import { parseArgs } from "node:util";
import { runReembedTrial } from "../reembed/run-reembed-trial.ts";
import { createTestDatabase } from "../support/database.ts";
import { runConsolidationTrials } from "./consolidation-trials.ts";
import { runForgettingTrials } from "./forgetting-trials.ts";
import { runKillTrials } from "./kill-trials.ts";
import { runMessageTrials } from "./message-trials.ts";
import { runReaderTrials } from "./reader-trials.ts";
import { runRestoreTrials } from "./restore-trials.ts";
import type { Findings, Place } from "./start-child.ts";
import { runServerTrials } from "./server-trials.ts";
import { runStreamTrials } from "./stream-trials.ts";

const { values } = parseArgs({
  options: {
    trials: { type: "string", default: "300" },
    only: { type: "string" },
    "broken-order": { type: "string" },
    halves: { type: "boolean", default: false },
  },
});

const kinds: Readonly<Record<string, (trials: number) => Promise<Findings>>> = {
  turns: (trials) => killTrials("turns", trials),
  compactions: (trials) => killTrials("compactions", trials),
  streams: (trials) => onDatabase((place) => runStreamTrials(trials, place)),
  server: (trials) => onDatabase((place) => runServerTrials(trials, place)),
  readers: (trials) => onDatabase((place) => runReaderTrials(trials, place)),
  restore: (trials) => runRestoreTrials(trials, values.halves),
  forgetting: forgettingTrials,
  consolidation: (trials) => onDatabase((place) => runConsolidationTrials({ trials, place, halves: values.halves })),
  messages: (trials) => onDatabase((place) => runMessageTrials(trials, place)),
  reembed: reembedTrials,
};

/** Of the trials that are asked for; a third for all other kinds. A forgetting plants much before it is killed. */
const shares: Readonly<Record<string, number>> = { turns: 1, readers: 1, forgetting: 1 / 6 };

const histogram = new Map<string, number>();
const violations: string[] = [];
let trials = 0;
for (const [kind, run] of Object.entries(kinds)) {
  if (values.only !== undefined && values.only !== kind) continue;
  const wanted = Math.ceil(Number(values.trials) * (shares[kind] ?? 1 / 3));
  const begun = performance.now();
  const found = await run(wanted);
  trials += wanted;
  violations.push(...found.violations);
  for (const [place, count] of found.histogram) histogram.set(place, count);
  process.stdout.write(`${kind}: ${wanted} trials in ${((performance.now() - begun) / 1000).toFixed(0)} s\n`);
}
for (const [place, count] of histogram) process.stdout.write(`${place.padEnd(34)} ${count}\n`);
for (const violation of violations) process.stdout.write(`VIOLATION ${violation}\n`);
process.stdout.write(`${trials} trials, ${violations.length} violations\n`);
process.exitCode = violations.length === 0 && trials > 0 && !histogram.has("not killed") ? 0 : 1;

async function killTrials(kind: "turns" | "compactions", count: number): Promise<Findings> {
  const database = await createTestDatabase();
  try {
    return await runKillTrials({
      trials: count,
      kind,
      place: database.connection,
      brokenOrder: values["broken-order"],
    });
  } finally {
    await database.remove();
  }
}

async function onDatabase(run: (place: Place) => Promise<Findings>): Promise<Findings> {
  const database = await createTestDatabase();
  try {
    return await run(database.connection);
  } finally {
    await database.remove();
  }
}

async function forgettingTrials(count: number): Promise<Findings> {
  const database = await createTestDatabase();
  try {
    return await runForgettingTrials({ trials: count, place: database.connection, halves: values.halves });
  } finally {
    await database.remove();
  }
}

async function reembedTrials(kills: number): Promise<Findings> {
  const passages = 700 + 100 * kills;
  const { killed, violations: found } = await runReembedTrial({ passages, kills, log: () => undefined });
  const missed = killed === kills ? [] : [["not killed", kills - killed] as const];
  return {
    histogram: new Map([["re-embedding: killed", killed], ...missed]),
    violations: found.map((violation) => `re-embedding: ${violation}`),
  };
}
