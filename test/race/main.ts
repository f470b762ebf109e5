// Several processes on the same conversations, with and without faults: npm run test:race
// Runs on one embedded folder (4 processes), or on the server of TEST_DATABASE_URL (8). Prints what each scenario gave:
// turns, errors by code, the longest time in which a living process heard nothing after a fault, and the violations.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Agent } from "../../src/agent/agent.ts";
import { createRuntime } from "../../src/runtime/compose/compose.ts";
import type { Model } from "../../src/model/llm/model.ts";
import { noUsage } from "../../src/base/message/message.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { createTestDatabase, isOnServer } from "../support/database.ts";
import { findRaces } from "./findings.ts";

const { values } = parseArgs({
  options: {
    turns: { type: "string", default: "50" },
    processes: { type: "string" },
    only: { type: "string" },
    /** In milliseconds. The default is for a machine without other load. */
    "longest-silence": { type: "string", default: "5000" },
  },
});
const processes = Number(values.processes ?? (isOnServer ? 8 : 4));
const turns = Number(values.turns);
/** A living process goes on within this time of a fault, or is told what is wrong. */
const longestSilenceMs = Number(values["longest-silence"]);

/** The sender of what is sent after the race. */
const last = "last";

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** A process with what it has said. */
interface Racer {
  readonly child: Child;
  readonly sent: string[];
  readonly done: string[];
  readonly errors: string[];
  readonly violations: string[];
  /** When it said something, in milliseconds. */
  readonly heard: number[];
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
  /** Killed or stopped by us. */
  isHarmed: boolean;
}

interface Scenario {
  readonly name: string;
  readonly embeddedOnly?: boolean;
  /** What goes wrong while the processes run; gives the moments at which it did. */
  readonly fault: (racers: readonly Racer[], folder: string) => Promise<readonly number[]>;
}

const scenarios: readonly Scenario[] = [
  { name: "nothing goes wrong", fault: async () => [] },
  {
    name: "a client is killed",
    fault: async (racers) =>
      harm(racers, 2, async (racer) => {
        racer.child.kill("SIGKILL");
      }),
  },
  {
    name: "a client is stopped for 8 s",
    fault: async (racers) =>
      harm(racers, 1, async (racer) => {
        racer.child.kill("SIGSTOP");
        await sleep(8000);
        racer.child.kill("SIGCONT");
      }),
  },
  {
    name: "the server is killed",
    embeddedOnly: true,
    fault: async (_racers, folder) => repeat(3, async () => void process.kill(await runningServer(folder), "SIGKILL")),
  },
  {
    name: "the server is stopped for 8 s",
    embeddedOnly: true,
    fault: async (_racers, folder) =>
      repeat(1, async () => {
        const pid = await runningServer(folder);
        process.kill(pid, "SIGSTOP");
        await sleep(8000);
        process.kill(pid, "SIGCONT");
      }),
  },
];

/** Answers at once: for what the processes left. */
const answering: Model = {
  name: "racing",
  contextWindow: 10_000_000,
  async *stream() {
    yield { type: "text-delta", text: "done" };
    yield { type: "end", stopReason: "end", usage: noUsage };
  },
};

let violated = 0;
for (const scenario of scenarios) {
  const isMeant = scenario.name.includes(values.only ?? "");
  if (isMeant && !(isOnServer && scenario.embeddedOnly)) violated += await run(scenario);
}
process.stdout.write(`${violated} violations\n`);
process.exitCode = violated === 0 ? 0 : 1;

async function run(scenario: Scenario): Promise<number> {
  const database = await createTestDatabase();
  const { connection } = database;
  const folder = connection.kind === "embedded" ? connection.folder : "";
  const place = connection.kind === "server" ? { databaseUrl: connection.url } : { dataDir: folder };
  const open = (): Promise<Runtime> =>
    createRuntime({ ...place, engineHost: "process", model: "racing", models: [answering], embedder: null });

  // Two agents, one of them in two conversations.
  const first = await open();
  const agents = [
    await first.agents.open("one", { create: {} }),
    await first.agents.open("one", { conversation: "new" }),
    await first.agents.open("two", { create: {} }),
  ];
  await first.close();

  const begun = Date.now();
  const racers = Array.from({ length: processes }, (_, at) => start(`p${at}`, agents, place));
  await Promise.all(racers.map(({ ready }) => ready));
  const faults = await scenario.fault(racers, folder);
  await Promise.all(racers.map(({ ended }) => ended));
  const seconds = (Date.now() - begun) / 1000;

  const last = await open();
  const violations = [
    ...racers.flatMap((racer) => racer.violations),
    ...(await conversationViolations(last, agents, racers)),
  ];
  await last.close();
  const silence = longestSilence(racers, faults);
  if (faults.some((fault) => racers.every(({ heard }) => fault > (heard.at(-1) ?? 0)))) {
    violations.push("a fault came when nobody ran any more: give more --turns");
  }
  if (silence > longestSilenceMs) violations.push(`a process heard nothing for ${silence} ms after a fault`);
  report(scenario.name, racers, { seconds, silence, violations });
  await endServer(folder);
  await database.remove();
  return violations.length;
}

async function conversationViolations(
  runtime: Runtime,
  opened: readonly Agent[],
  racers: readonly Racer[],
): Promise<readonly string[]> {
  const agents: Agent[] = [];
  for (const [at, { record, conversationId }] of opened.entries()) {
    const agent = await runtime.agents.open(record.name, { conversation: { id: conversationId } });
    // Whatever a killed process left undone, or left in the queue, is taken up by whoever asks next.
    for await (const _event of agent.send(`input ${last}.${at}`));
    agents.push(agent);
  }
  const names = [...new Set(agents.map(({ record }) => record.name))];
  const found = names.map((name) => {
    const isHere = (key: string): boolean => agents[Number(key.split(".")[1]) % agents.length]?.record.name === name;
    const done = racers.flatMap((racer) => racer.done).filter(isHere);
    const sent = racers.flatMap((racer) => racer.sent).filter(isHere);
    const ours = agents.map((_, at) => `${last}.${at}`).filter(isHere);
    const own = agents.filter(({ record }) => record.name === name);
    return findRaces(runtime, own, { done: new Set([...done, ...ours]), sent: new Set([...sent, ...ours]) });
  });
  return (await Promise.all(found)).flat();
}

function start(
  name: string,
  agents: readonly Agent[],
  place: { readonly databaseUrl?: string; readonly dataDir?: string },
): Racer {
  const program = path.join(path.dirname(fileURLToPath(import.meta.url)), "child.js");
  const at = place.databaseUrl === undefined ? ["--folder", place.dataDir ?? ""] : ["--url", place.databaseUrl];
  const places = agents.map(({ record, conversationId }) => `${record.name}:${conversationId}`).join(",");
  const args = [program, ...at, "--name", name, "--turns", String(turns), "--places", places];
  const child: Child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let onReady = (): void => undefined;
  const racer: Racer = {
    child,
    sent: [],
    done: [],
    errors: [],
    violations: [],
    heard: [],
    ready: new Promise((resolve) => {
      onReady = resolve;
    }),
    ended: new Promise((resolve) => {
      child.on("close", () => {
        onReady();
        resolve();
      });
    }),
    isHarmed: false,
  };
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (piece: string) => {
    stderr += piece;
  });
  child.on("close", (code) => {
    if (code !== 0 && !racer.isHarmed) racer.violations.push(`it ended with ${code}: ${stderr.slice(0, 600)}`);
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const [word, key = "", rest = ""] = line.split(" ");
    racer.heard.push(Date.now());
    if (word === "ready") onReady();
    if (word === "sent") racer.sent.push(key);
    if (word === "done") racer.done.push(key);
    if (word === "error") racer.errors.push(rest);
    if (word === "violation") racer.violations.push(line);
  });
  return racer;
}

/** Harms so many of the processes, one after the other, while they run. */
async function harm(
  racers: readonly Racer[],
  count: number,
  work: (racer: Racer) => Promise<void>,
): Promise<readonly number[]> {
  const faults: number[] = [];
  for (const racer of racers.slice(0, count)) {
    await sleep(400 + Math.random() * 800);
    racer.isHarmed = true;
    faults.push(Date.now());
    await work(racer);
  }
  return faults;
}

async function repeat(count: number, work: () => Promise<void>): Promise<readonly number[]> {
  const faults: number[] = [];
  for (let time = 0; time < count; time += 1) {
    await sleep(1000 + Math.random() * 1000);
    faults.push(Date.now());
    await work();
  }
  return faults;
}

/** The process that serves the folder, from its lock. */
function serverOf(folder: string): number {
  const numbers = readdirSync(folder).flatMap((file) => /^server-lock-(\d+)\.json$/u.exec(file)?.[1] ?? []);
  const newest = Math.max(...numbers.map(Number));
  return (JSON.parse(readFileSync(path.join(folder, `server-lock-${newest}.json`), "utf8")) as { readonly pid: number })
    .pid;
}

/** Resolves to the process that serves the folder. After a kill, its lock names the killed one until another one has begun. */
async function runningServer(folder: string): Promise<number> {
  for (;;) {
    const pid = serverOf(folder);
    try {
      process.kill(pid, 0);
      return pid;
    } catch {
      await sleep(50);
    }
  }
}

async function endServer(folder: string): Promise<void> {
  if (folder === "") return;
  try {
    process.kill(serverOf(folder), "SIGTERM");
    await sleep(300);
  } catch {
    // It has left by itself.
  }
}

/** The longest time that a process that was left alone heard nothing, counted from a fault or later. */
function longestSilence(racers: readonly Racer[], faults: readonly number[]): number {
  const begin = Math.min(...faults);
  if (faults.length === 0) return 0;
  const silences = racers
    .filter(({ isHarmed }) => !isHarmed)
    .flatMap(({ heard }) => {
      const after = [begin, ...heard.filter((time) => time > begin)];
      return after.slice(1).map((time, at) => time - (after[at] as number));
    });
  return Math.max(0, ...silences);
}

interface Outcome {
  readonly seconds: number;
  readonly silence: number;
  readonly violations: readonly string[];
}

function report(name: string, racers: readonly Racer[], { seconds, silence, violations }: Outcome): void {
  const done = racers.reduce((sum, racer) => sum + racer.done.length, 0);
  const errors = new Map<string, number>();
  for (const code of racers.flatMap((racer) => racer.errors)) errors.set(code, (errors.get(code) ?? 0) + 1);
  const told = [...errors].map(([code, count]) => `${code} ${count}`).join(", ") || "none";
  process.stdout.write(
    `${name}: ${racers.length} processes, ${done} turns in ${seconds.toFixed(1)} s; errors: ${told}; longest silence ${silence} ms\n`,
  );
  for (const violation of violations) process.stdout.write(`VIOLATION ${violation}\n`);
}
