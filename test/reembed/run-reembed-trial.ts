// A re-embedding whose process is killed again and again, while another searches and inserts: every search finds what it found at
// first, and at the end every passage has one vector of each embedder.
import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { packageRoot } from "../../src/base/package-root.ts";
import { newestTexts } from "../../src/memory/vectors/back-fills.ts";
import { openTestStore, type TestStore } from "../support/database.ts";

export interface ReembedTrial {
  readonly passages: number;
  readonly kills: number;
  /** Vectors a second of the runs that are killed, so that none has ended before; default: as fast as they go. */
  readonly ratePerSecond?: number;
  readonly log: (line: string) => void;
}

export interface ReembedFindings {
  readonly violations: readonly string[];
  readonly killed: number;
  /** Vectors that the last run made: the others were there. */
  readonly madeLast: number;
  readonly seconds: number;
  /** Of the process that searched. */
  readonly use: UseReport;
}

interface UseReport {
  readonly searches: number;
  readonly inserted: number;
  readonly searchedBy: readonly string[];
  /** Milliseconds of a search. */
  readonly p50: number;
  readonly p95: number;
  readonly longest: number;
}

interface Child {
  readonly process: ChildProcess;
  readonly ready: Promise<void>;
  /** What it came to; null when it was killed before. */
  readonly outcome: Promise<unknown>;
}

type ReportedAssignment = (word: string, rest: string) => void;

export async function runReembedTrial({ passages, kills, ratePerSecond, log }: ReembedTrial): Promise<ReembedFindings> {
  // It is open for the whole trial, so that on the embedded engine no killed process takes the engine with it.
  const test = await openTestStore();
  const violations: string[] = [];
  const told: ReportedAssignment = (word, rest) => {
    if (word === "violation") violations.push(rest);
    if (word === "log") log(rest);
  };
  try {
    await start(test, ["seed", "--passages", String(passages)], told).outcome;
    log(`${passages} passages have vectors of 512 dimensions`);
    const user = start(test, ["use", "--passages", String(passages)], told);
    await user.ready;
    const begun = performance.now();
    let killed = 0;
    // The process that searches makes those of the newest texts, and each run a batch or two that it had not told of.
    let left = passages - newestTexts - kills * 64;
    for (let kill = 0; kill < kills; kill += 1) {
      const until = Math.floor((Math.random() * left) / (kills - kill + 1));
      const { done, wasKilled } = await killAfter(test, until, { told, ratePerSecond });
      if (wasKilled) killed += 1;
      left -= done;
      log(`kill ${kill + 1}: ${done} vectors made`);
    }
    const last = (await start(test, ["reembed"], told).outcome) as { readonly made: number } | null;
    const seconds = (performance.now() - begun) / 1000;
    await sleep(1000);
    user.process.stdin?.end();
    const use = (await user.outcome) as UseReport | null;
    if (use === null) throw new TypeError(`The process that searched has ended: ${violations.join("; ")}`);
    if (last === null) violations.push("the last run did not come to its end");
    violations.push(...(await findFaults(test, passages + use.inserted)), ...switchFaults(use));
    return { violations, killed, madeLast: last?.made ?? 0, seconds, use };
  } finally {
    await test.close();
  }
}

function switchFaults({ searchedBy, searches }: UseReport): readonly string[] {
  const faults = searches === 0 ? ["nothing was searched"] : [];
  if (searchedBy.join() === "trial/old,trial/next") return faults;
  return [...faults, `searches were by ${searchedBy.join(", then ")}`];
}

/** Kills a run when it has made so many vectors, or a moment after. */
async function killAfter(
  test: TestStore,
  until: number,
  { told, ratePerSecond }: { readonly told: ReportedAssignment; readonly ratePerSecond: number | undefined },
): Promise<{ readonly done: number; readonly wasKilled: boolean }> {
  let done = 0;
  let isDue = false;
  const rate = ratePerSecond === undefined ? [] : ["--rate", String(ratePerSecond)];
  const child = start(test, ["reembed", ...rate], (word, rest) => {
    told(word, rest);
    if (word === "progress") done = Number(rest);
    if (isDue || (word !== "ready" && word !== "progress") || done < until) return;
    isDue = true;
    setTimeout(() => child.process.kill("SIGKILL"), Math.random() * 20);
  });
  await child.outcome;
  return { done, wasKilled: child.process.signalCode === "SIGKILL" };
}

function start({ connection }: TestStore, args: readonly string[], told: ReportedAssignment): Child {
  const place = connection.kind === "server" ? ["--url", connection.url] : ["--folder", connection.folder];
  const program = path.join(packageRoot(), "test", "reembed", "child.mjs");
  const child = spawn(process.execPath, [program, ...args, ...place], { stdio: ["pipe", "pipe", "pipe"] });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (piece: string) => {
    errors += piece;
  });
  let outcome: unknown = null;
  let onReady: () => void;
  const ready = new Promise<void>((resolve) => {
    onReady = resolve;
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const [, word = "", rest = ""] = /^(\w+) ?(.*)$/u.exec(line) ?? [];
    if (word === "ready") onReady();
    if (word === "done") outcome = JSON.parse(rest);
    told(word, rest);
  });
  const ended = new Promise<unknown>((resolve) => {
    child.on("close", (code) => {
      if (child.signalCode === null && code !== 0)
        told("violation", `a process ended with ${code}: ${errors.slice(0, 400)}`);
      onReady();
      resolve(outcome);
    });
  });
  return { process: child, ready, outcome: ended };
}

/** What is wrong with the vectors, by the owner of the tables. */
async function findFaults(test: TestStore, expected: number): Promise<readonly string[]> {
  const faults: string[] = [];
  const count = async (statement: string): Promise<number> =>
    (await test.ownerRows<{ readonly n: number }>(`select count(*)::int as n from ${statement}`))[0]!.n;
  const held = await count("passages");
  if (held !== expected) faults.push(`${held} passages are there, ${expected} were added`);
  for (const [width, embedder] of [
    [512, "trial/old"],
    [384, "trial/next"],
  ] as const) {
    const vectors = await count(`passages_${width} where embedder = '${embedder}'`);
    const once = await count(`(select distinct passage_id from passages_${width} where embedder = '${embedder}') one`);
    const missing = await count(
      `passages p where not exists (select from passages_${width} v where v.passage_id = p.id and v.embedder = '${embedder}')`,
    );
    if (vectors !== held || once !== held || missing !== 0) {
      faults.push(`${embedder}: ${vectors} vectors of ${once} passages, ${missing} of ${held} have none`);
    }
  }
  const roles = await test.ownerRows<{ readonly role: string; readonly embedder: string }>(
    "select role, embedder from agent_embedders order by role",
  );
  const standing = roles.map(({ role, embedder }) => `${role} ${embedder}`).join(", ");
  if (standing !== "kept trial/old, searched trial/next") faults.push(`the agent has ${standing}`);
  return faults;
}
