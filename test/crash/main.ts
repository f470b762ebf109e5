// Kills a process that runs turns, again and again, and lets the next one check what it finds: npm run test:crash
// Runs on the embedded engine, or on the server of TEST_DATABASE_URL. `--trials 300` is the full form; `--broken-order`
// shows that a wrong order of commits is found. Prints a histogram, the violations and, last, how many trials there were.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Readable } from "node:stream";
import { parseArgs } from "node:util";
import { type Boundary, boundaries } from "./boundaries.ts";
import { createTestDatabase } from "../support/database.ts";

const { values } = parseArgs({
  options: { trials: { type: "string", default: "300" }, "broken-order": { type: "boolean", default: false } },
});
const trials = Number(values.trials);
/** Trials at each boundary; what is left over is killed at random. */
const atEach = Math.min(20, Math.floor((trials * 0.8) / boundaries.length));
const trialsPerAgent = 30;

interface Trial {
  readonly boundary: Boundary | null;
  readonly agent: string;
  readonly acknowledged: number[];
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

interface Outcome {
  readonly killed: boolean;
  readonly violations: readonly string[];
}

const database = await createTestDatabase();
const logs = mkdtempSync(path.join(tmpdir(), "palimpsest-crash-"));
const histogram = new Map<string, number>();
const violations: string[] = [];
let agent = "";
let acknowledged: number[] = [];

for (let number = 0; number < trials; number += 1) {
  if (number % trialsPerAgent === 0) {
    agent = `crash-${number}`;
    acknowledged = [];
  }
  const boundary = number < atEach * boundaries.length ? (boundaries[number % boundaries.length] ?? null) : null;
  const outcome = await runTrial({ boundary, agent, acknowledged });
  violations.push(...outcome.violations.map((violation) => `trial ${number} (${boundary ?? "random"}): ${violation}`));
  const place = outcome.killed ? (boundary ?? "at random") : "not killed";
  histogram.set(place, (histogram.get(place) ?? 0) + 1);
}
// The last process is let run to its end, so that the last kill is checked too.
const last = await runTrial({ boundary: null, agent, acknowledged }, { toTheEnd: true });
violations.push(...last.violations.map((violation) => `after the last trial: ${violation}`));

for (const [place, count] of histogram) process.stdout.write(`${place.padEnd(24)} ${count}\n`);
for (const violation of violations) process.stdout.write(`VIOLATION ${violation}\n`);
process.stdout.write(`${trials} trials, ${violations.length} violations\n`);
await database.remove();
rmSync(logs, { recursive: true, force: true });
process.exitCode = violations.length === 0 && !histogram.has("not killed") ? 0 : 1;

async function runTrial(trial: Trial, { toTheEnd = false } = {}): Promise<Outcome> {
  const child = spawnChild(trial, toTheEnd);
  const errors = textOf(child.stderr);
  const violations: string[] = [];
  const onReady = (): void => {
    if (trial.boundary === null && !toTheEnd) setTimeout(() => child.kill("SIGKILL"), Math.random() * 250);
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const [, word, rest = ""] = /^(\w+) ?(.*)$/.exec(line) ?? [];
    if (word === "ack") trial.acknowledged.push(Number(rest));
    if (word === "violation") violations.push(rest);
    if (word === "ready") onReady();
  }
  const killed = await ended(child);
  const cameToItsEnd = toTheEnd && child.exitCode === 0;
  if (!killed && !cameToItsEnd) violations.push(`it ended by itself (${child.exitCode}): ${errors().slice(0, 600)}`);
  return { killed, violations };
}

function textOf(stream: Readable): () => string {
  let text = "";
  stream.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
  });
  return () => text.trim();
}

function spawnChild({ boundary, agent: name, acknowledged: inputs }: Trial, toTheEnd: boolean): Child {
  const { connection } = database;
  const place = connection.kind === "server" ? ["--url", connection.url] : ["--folder", connection.folder];
  const args = [...place, "--agent", name, "--acknowledged", inputs.join(",")];
  if (boundary !== null) args.push("--boundary", boundary, "--time", String(1 + Math.floor(Math.random() * 4)));
  if (Math.random() < 0.5) args.push("--resume");
  if (toTheEnd) args.push("--turns", "2");
  if (values["broken-order"]) args.push("--broken-order");
  const program = path.join(path.dirname(fileURLToPath(import.meta.url)), "child.js");
  return spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"], cwd: logs });
}

function ended(child: Child): Promise<boolean> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.signalCode === "SIGKILL");
  return new Promise((resolve) => child.on("close", () => resolve(child.signalCode === "SIGKILL")));
}
