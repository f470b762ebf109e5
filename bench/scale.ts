// Measures turns of several processes on one PostgreSQL server, the one of BENCH_DATABASE_URL: throughput as a ratio to one
// process, and commits, WAL and CPU time per turn. Then the commits of a turn for which others wait in its conversation.
// Invariant: the cost of starting and opening is measured by a run without turns, and subtracted.
import { type ChildProcess, spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { createHost } from "../src/runtime/compose/compose.ts";
import { createInstantModel } from "./instant-model.ts";
import type { SuiteResult } from "./measure.ts";
import { createOwnDatabase } from "./own-database.ts";
import { benchAgent, type ChildReport, type ChildTask } from "./scale-child.ts";
import { readServerUsage } from "./server-usage.ts";

const usersPerProcess = 4;
const turnsPerUser = 150;
const waitingSenders = 16;

interface Measured {
  readonly turns: number;
  readonly seconds: number;
  readonly commits: number;
  readonly walBytes: number;
  readonly clientMs: number;
  readonly serverMs: number | null;
}

export async function benchScale(): Promise<SuiteResult> {
  const given = process.env["BENCH_DATABASE_URL"];
  if (given === undefined) throw new Error("Expected BENCH_DATABASE_URL: a PostgreSQL server that nothing else uses.");
  const { url, drop } = await createOwnDatabase(given);
  try {
    const processors = availableParallelism();
    const counts = [1, 2, 4, 8].filter((count) => count === 1 || count <= 2 * processors);
    await createAgents(url, counts.at(-1)! * usersPerProcess);
    const scaled = [];
    for (const count of counts) scaled.push({ processes: count, ...(await measureProcesses(url, count, processors)) });
    const waiting = [];
    for (const modelMs of [0, 250]) waiting.push({ modelMs, ...(await measureWaiting(url, modelMs)) });
    report(scaled, waiting);
    return { rows: [], more: { scale: { processors, scaled, waiting } } };
  } finally {
    await drop();
  }
}

const userOf = (number: number): string => `user-${number}`;

async function createAgents(databaseUrl: string, users: number): Promise<void> {
  const models = [createInstantModel("text")];
  const host = await createHost({ databaseUrl, models, model: "instant-text", embedder: null, timeZone: "UTC" });
  for (let user = 0; user < users; user += 1) {
    await host.forUser(userOf(user)).agents.open(benchAgent, { create: {}, conversation: "new" });
  }
  await host.close();
}

async function measureProcesses(databaseUrl: string, count: number, processors: number): Promise<Measured> {
  const tasks = Array.from({ length: count }, (_, process) => ({
    processor: process % processors,
    task: {
      databaseUrl,
      users: Array.from({ length: usersPerProcess }, (_user, index) => userOf(process * usersPerProcess + index)),
      senders: 1,
      turns: turnsPerUser,
      modelMs: 0,
    },
  }));
  return measured(tasks);
}

async function measureWaiting(databaseUrl: string, modelMs: number): Promise<Measured> {
  const turns = modelMs === 0 ? 20 : 4;
  return measured([
    { processor: 0, task: { databaseUrl, users: [userOf(0)], senders: waitingSenders, turns, modelMs } },
  ]);
}

interface PinnedTask {
  readonly processor: number;
  readonly task: ChildTask;
}

async function measured(tasks: readonly PinnedTask[]): Promise<Measured> {
  const idle = await measuredOnce(tasks.map(({ processor, task }) => ({ processor, task: { ...task, turns: 0 } })));
  const whole = await measuredOnce(tasks);
  return {
    ...whole,
    commits: whole.commits - idle.commits,
    walBytes: whole.walBytes - idle.walBytes,
    serverMs: whole.serverMs === null ? null : whole.serverMs - (idle.serverMs ?? 0),
  };
}

async function measuredOnce(tasks: readonly PinnedTask[]): Promise<Measured> {
  const url = tasks[0]!.task.databaseUrl;
  const before = await readServerUsage(url);
  const reports = await runAll(tasks);
  const after = await readServerUsage(url);
  return {
    turns: reports.reduce((sum, { turns }) => sum + turns, 0),
    seconds: Math.max(...reports.map(({ seconds }) => seconds)),
    commits: after.commits - before.commits,
    walBytes: after.walBytes - before.walBytes,
    clientMs: reports.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    serverMs: after.cpuMs === null || before.cpuMs === null ? null : after.cpuMs - before.cpuMs,
  };
}

/** Starts the processes, each on its processor, and lets them begin when all are ready. */
async function runAll(tasks: readonly PinnedTask[]): Promise<readonly ChildReport[]> {
  const file = fileURLToPath(new URL("scale-child.js", import.meta.url));
  const children = tasks.map(({ processor }) =>
    spawn("taskset", ["--cpu-list", String(processor), process.execPath, file], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    }),
  );
  const ready = children.map((child) => messageOf<string>(child));
  for (const [index, child] of children.entries()) child.send(tasks[index]!.task);
  await Promise.all(ready);
  const reports = children.map((child) => messageOf<ChildReport>(child));
  const ended = children.map((child) => new Promise((resolve) => child.once("exit", resolve)));
  for (const child of children) child.send("start");
  const done = await Promise.all(reports);
  await Promise.all(ended);
  return done;
}

function messageOf<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    child.once("message", (message) => resolve(message as Message));
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`A process of the benchmark ended with ${code}.`)));
  });
}

function report(
  scaled: readonly (Measured & { readonly processes: number })[],
  waiting: readonly (Measured & { readonly modelMs: number })[],
): void {
  const one = scaled[0]!.turns / scaled[0]!.seconds;
  const lines = scaled.map((run) => {
    const rate = run.turns / run.seconds;
    return [
      `${run.processes} processes`,
      `${rate.toFixed(0)} turns/s`,
      `ratio ${(rate / one).toFixed(2)}`,
      ...costs(run),
    ];
  });
  const waits = waiting.map((run) => [
    `${waitingSenders} senders in one conversation, model ${run.modelMs} ms`,
    `${(run.turns / run.seconds).toFixed(1)} turns/s`,
    ...costs(run),
  ]);
  process.stdout.write(`\nscale, per turn\n${[...lines, ...waits].map((line) => line.join("  ")).join("\n")}\n`);
}

function costs({ turns, commits, walBytes, clientMs, serverMs }: Measured): readonly string[] {
  const server = serverMs === null ? "-" : (serverMs / turns).toFixed(2);
  return [
    `${(commits / turns).toFixed(2)} commits`,
    `${(walBytes / turns / 1000).toFixed(1)} kB WAL`,
    `${(clientMs / turns).toFixed(2)} ms client CPU`,
    `${server} ms server CPU`,
  ];
}
