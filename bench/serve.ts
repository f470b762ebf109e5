// Measures a server: turns with a model that answers at once beside a bare loop (`serve-turns.ts`), then 200 clients that stream
// replies at once beside the same turns in a process without a server.
// Invariant: a stream that is dropped, or that lacks its end, fails the run; both processes run in the same run, one after the other.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { createClient } from "../src/surfaces/client/create-client.ts";
import type { Row } from "./measure.ts";
import { rssOf } from "./server-usage.ts";
import { benchServedTurns } from "./serve-turns.ts";
import { measureTurns, paceMs, type ServedPlaces, type ServeTask, type TurnTimes, words } from "./serve-child.ts";

const users = 20;
const agentsPerUser = 10;
const modelMs = words * paceMs;

export interface ServeSeconds {
  readonly bare: number;
  readonly served: number;
}

/** Measures served turns, and in the long form also 200 clients that stream. */
export async function benchServe({ isShort }: { readonly isShort: boolean }) {
  const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-bench-"));
  try {
    const turns = await benchServedTurns(isShort ? { seconds: 2, rounds: 1 } : { seconds: 4, rounds: 3 }, folder);
    if (isShort) return { rows: turns };
    const { rows, more } = await benchStreams();
    return { rows: [...turns, ...rows], more };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function benchStreams(seconds: ServeSeconds = { bare: 20, served: 60 }) {
  const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-bench-"));
  const databaseUrl = process.env["BENCH_DATABASE_URL"] ?? null;
  const task = { databaseUrl, folder, users, agentsPerUser };
  try {
    const bare = await runBare({ ...task, kind: "bare", seconds: seconds.bare });
    const served = await runServed({ ...task, kind: "served", seconds: seconds.served });
    print("bare loop", bare);
    print("served", served.times);
    const megabytes = served.rss.map((bytes) => Math.round(bytes / 2 ** 20));
    process.stdout.write(`memory of the server, every 10 s: ${megabytes.join(", ")} MB\n`);
    const rows: readonly Row[] = [rowOf("bare loop", bare), rowOf("served", served.times, bare)];
    return { rows, more: { serve: { bare, served } } };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function print(name: string, { turns, deltas, seconds, p50, p95 }: TurnTimes): void {
  const rate = (count: number): string => (count / seconds).toFixed(0);
  process.stdout.write(
    `${name}: ${turns} turns, ${rate(turns)} per second, ${rate(deltas)} pieces of text per second; beyond the model's ${modelMs} ms: p50 ${(p50 - modelMs).toFixed(0)} ms, p95 ${(p95 - modelMs).toFixed(0)} ms\n`,
  );
}

/** Times beyond those of the model. */
function rowOf(name: string, { turns, p50, p95 }: TurnTimes, floor?: TurnTimes): Row {
  const row = { name, p50: p50 - modelMs, p95: p95 - modelMs, samples: turns };
  return floor === undefined ? row : { ...row, ratio: row.p50 / (floor.p50 - modelMs) };
}

function start(task: ServeTask): ChildProcess {
  const child = fileURLToPath(new URL("serve-child.js", import.meta.url));
  const started = spawn(process.execPath, [child], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  started.send(task);
  return started;
}

function messageOf<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    child.once("message", (message: Message) => resolve(message));
    child.once("exit", (code) => reject(new Error(`The process ended with ${code}.`)));
  });
}

async function runBare(task: ServeTask): Promise<TurnTimes> {
  const child = start(task);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const times = await messageOf<TurnTimes>(child);
  await ended;
  return times;
}

interface ServedTimes {
  readonly times: TurnTimes;
  /** Bytes of memory that the server holds, every ten seconds. */
  readonly rss: readonly number[];
}

async function runServed(task: ServeTask): Promise<ServedTimes> {
  const child = start(task);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const { url, clients } = await messageOf<ServedPlaces>(child);
  const senders = await Promise.all(
    clients.map(async ({ key, agent }) => {
      const client = createClient({ url, key });
      const { id } = await client.call("POST /agents/:agent/conversations", { params: { agent }, body: {} });
      const place = { agent, conversation: id };
      return () => client.send(place, { messages: [{ text: "How is the weather?" }] });
    }),
  );
  const rss: number[] = [];
  const watch = setInterval(() => rss.push(rssOf(child.pid!)), 10_000);
  try {
    return { times: await measureTurns(senders, task.seconds), rss };
  } finally {
    clearInterval(watch);
    if (child.connected) child.send("end");
    await ended;
  }
}
