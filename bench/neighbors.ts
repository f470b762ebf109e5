// Measures what a victim notices of a hostile user of the same server: its reads, its turns, and the memory of the server.
// Invariant: every attack is compared with the same victim without one in the same run; a request of the victim that fails is a
// broken bound.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpus, loadavg } from "node:os";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { quantile, type Row } from "./measure.ts";
import type { AttackOrder, Statuses } from "./neighbor-attacker.ts";
import { type Attack, attacks } from "./neighbor-attacks.ts";
import { type NeighborScene, openScene } from "./neighbor-scene.ts";
import { rssOf } from "./server-usage.ts";

export interface NeighborBounds {
  /** Seconds of each attack. */
  readonly seconds: number;
  /** Whether the times are bounds too, and not only that every request of the victim succeeds and what memory is used. */
  readonly hasTimes: boolean;
}

const goals = { readMs: 250, turnMs: 500, megabytes: 700 };

interface Seen {
  readonly name: string;
  readonly reads: readonly number[];
  readonly turns: readonly number[];
  readonly failures: readonly string[];
  /** Most memory of the server's process, which does not run the embedded engine. */
  readonly megabytes: number;
  /** How often each status was answered to the attack. */
  readonly statuses: Statuses;
}

export async function benchNeighbors({ seconds, hasTimes }: NeighborBounds) {
  const load = loadText();
  const scene = await openScene();
  const attacker = startAttacker();
  try {
    await watch(scene, null, 2);
    const floor = await watch(scene, null, seconds);
    print(floor);
    const seen: Seen[] = [];
    for (const attack of attacks) {
      const each = await watch(scene, { attack, attacker }, seconds);
      print(each);
      seen.push(each);
      // What was begun before its client left ends.
      for (let pause = 0; pause < 10; pause += 1) {
        scene.release();
        await setTimeout(100);
      }
    }
    const all = [floor, ...seen];
    process.stdout.write(`${cpus().length} × ${cpus()[0]?.model}; load before: ${load}; after: ${loadText()}\n`);
    const rows: readonly Row[] = all.flatMap((each) => rowsOf(each, floor));
    const broken = all.flatMap((each) => brokenBy(each, hasTimes));
    return { rows, more: { neighbors: all }, broken };
  } finally {
    attacker.kill("SIGKILL");
    await scene.close();
  }
}

function loadText(): string {
  return loadavg()
    .map((load) => load.toFixed(1))
    .join(", ");
}

function startAttacker(): ChildProcess {
  const child = fileURLToPath(new URL("neighbor-attacker.js", import.meta.url));
  return spawn(process.execPath, [child], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
}

interface Attacking {
  readonly attack: Attack;
  readonly attacker: ChildProcess;
}

/** Begins an attack. The returned function ends it, and resolves with what was answered to it. */
function begin({ url, hostile, places }: NeighborScene, { attack, attacker }: Attacking): () => Promise<Statuses> {
  const order = (message: AttackOrder): unknown => attacker.send(message);
  const listening = new AbortController();
  const { signal } = listening;
  const ended = Promise.race([once(attacker, "message", { signal }), once(attacker, "exit", { signal })]);
  order({ attack: attack.name, scene: { url, hostile, places } });
  return async () => {
    if (attacker.connected) order("end");
    const [statuses] = (await ended) as readonly unknown[];
    listening.abort();
    if (typeof statuses !== "object" || statuses === null) throw new Error(`The attacker ended: ${attack.name}.`);
    return statuses as Statuses;
  };
}

/** Lets the victim read and talk while an attack runs. */
async function watch(scene: NeighborScene, attacking: Attacking | null, seconds: number): Promise<Seen> {
  const end = attacking === null ? async () => ({}) : begin(scene, attacking);
  // The attack is at its height.
  await setTimeout(attacking === null ? 0 : 1000);
  const until = performance.now() + seconds * 1000;
  const failures: string[] = [];
  const reads = repeat(until, failures, () => ask(scene, "GET", "/api/agents/main/modules"));
  const message = { model: "main", messages: [{ role: "user", content: "Hello" }] };
  const turns = repeat(until, failures, () => ask(scene, "POST", "/openai/v1/chat/completions", message));
  let bytes = 0;
  const sample = setInterval(() => (bytes = Math.max(bytes, rssOf(scene.pid))), 100);
  const [readTimes, turnTimes] = await Promise.all([reads, turns]);
  const statuses = await end();
  clearInterval(sample);
  const name = attacking?.attack.name ?? "no attack";
  return { name, reads: readTimes, turns: turnTimes, failures, megabytes: Math.round(bytes / 2 ** 20), statuses };
}

/** At least once, and then every 100 ms until the time is over. */
async function repeat(until: number, failures: string[], work: () => Promise<string | null>): Promise<number[]> {
  const times: number[] = [];
  do {
    const began = performance.now();
    const failure = await work();
    times.push(performance.now() - began);
    if (failure !== null) failures.push(failure);
    await setTimeout(100);
  } while (performance.now() < until);
  return times;
}

/** Returns what went wrong, or null. */
async function ask(
  { url, victim }: NeighborScene,
  method: string,
  path: string,
  body?: object,
): Promise<string | null> {
  const headers = { authorization: `Bearer ${victim}`, "content-type": "application/json" };
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers,
      ...content,
      signal: AbortSignal.timeout(300_000),
    });
    const text = await response.text();
    return response.ok ? null : `${method} ${path}: ${response.status} ${text.slice(0, 200)}`;
  } catch (error) {
    return `${method} ${path}: ${String(error)}`;
  }
}

function print({ name, reads, turns, megabytes, statuses, failures }: Seen): void {
  const answers = Object.entries(statuses).map(([status, count]) => `${count} × ${status === "0" ? "closed" : status}`);
  const failed = failures.length === 0 ? "" : `; ${failures.length} requests of the victim failed: ${failures[0]}`;
  const times = [reads, turns].map((each) => `${quantile(each, 0.95).toFixed(0)} ms`).join(" and ");
  process.stdout.write(
    `${name}: GET and turn p95 ${times}; ${megabytes} MB; answers ${answers.join(", ") || "none"}${failed}\n`,
  );
}

function rowsOf({ name, reads, turns, megabytes }: Seen, floor: Seen): readonly Row[] {
  const row = (kind: string, times: readonly number[], base: readonly number[]): Row => {
    const [p50, p95] = [quantile(times, 0.5), quantile(times, 0.95)];
    return { name: `${name}: ${kind}`, p50, p95, samples: times.length, ratio: p50 / quantile(base, 0.5) };
  };
  return [row("GET", reads, floor.reads), { ...row("turn", turns, floor.turns), note: `${megabytes} MB` }];
}

function brokenBy({ name, reads, turns, failures, megabytes }: Seen, hasTimes: boolean): readonly string[] {
  const [readMs, turnMs] = [quantile(reads, 0.95), quantile(turns, 0.95)];
  return [
    ...(failures.length === 0 ? [] : [`${name}: ${failures.length} requests of the victim failed, ${failures[0]}`]),
    ...(megabytes <= goals.megabytes ? [] : [`${name}: ${megabytes} MB, goal ${goals.megabytes}`]),
    ...(!hasTimes || readMs <= goals.readMs ? [] : [`${name}: GET p95 ${readMs.toFixed(0)} ms, goal ${goals.readMs}`]),
    ...(!hasTimes || turnMs <= goals.turnMs ? [] : [`${name}: turn p95 ${turnMs.toFixed(0)} ms, goal ${goals.turnMs}`]),
  ];
}
