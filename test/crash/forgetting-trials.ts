// Trials of forgettings: a process that forgets is killed. The next one must find everything, or no trace and a record.
// Every second trial forgets by an approved call of the model.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Findings, type Place, placeArguments, startChild } from "./start-child.ts";

export interface ForgettingTrials {
  readonly trials: number;
  readonly place: Place;
  readonly halves: boolean;
}

/** What a process has planted, and the milliseconds that its forgetting took; null if it was killed before. */
interface Outcome {
  readonly killed: boolean;
  readonly planted: string;
  readonly state: string;
  readonly forgotMs: number | null;
  readonly violations: readonly string[];
}

export async function runForgettingTrials({ trials, place, halves }: ForgettingTrials): Promise<Findings> {
  const objects = mkdtempSync(path.join(tmpdir(), "palimpsest-forgetting-"));
  const histogram = new Map<string, number>();
  const violations: string[] = [];
  const count = (what: string): void => void histogram.set(what, (histogram.get(what) ?? 0) + 1);
  let [planted, before] = ["", ""];
  const forgetMs = { program: 0, model: 0 };
  try {
    // The first forgetting of each kind ends, to show how long one takes. The last process only checks the last kill.
    for (let number = 0; number <= trials + 2; number += 1) {
      const by = number % 2 === 0 ? "program" : "model";
      const args = [...placeArguments(place), "--objects", objects, "--number", String(number), "--planted", planted];
      if (halves) args.push("--halves");
      if (by === "model") args.push("--by-model");
      if (number > trials + 1) args.push("--last");
      const isKilled = number > 1 && number <= trials + 1;
      const outcome = await runOnce(args, isKilled ? killTime(number, forgetMs[by]) : null);
      violations.push(...outcome.violations.map((violation) => `forgetting, trial ${number - 1}: ${violation}`));
      if (outcome.state !== "") count(`forgetting by a ${before}: found ${outcome.state}`);
      if (isKilled) count(`forgetting by a ${by}: ${outcome.killed ? "killed" : "ended before its kill"}`);
      forgetMs[by] = outcome.forgotMs ?? forgetMs[by];
      before = by;
      planted = outcome.planted;
    }
  } finally {
    rmSync(objects, { recursive: true, force: true });
  }
  return { histogram, violations };
}

/** Mostly anywhere in the forgetting; every third time about when it commits. */
function killTime(number: number, forgetMs: number): number {
  return number % 3 === 0 ? forgetMs * (0.8 + Math.random() * 0.3) : Math.random() * forgetMs;
}

async function runOnce(args: readonly string[], after: number | null): Promise<Outcome> {
  const violations: string[] = [];
  let [planted, state] = ["", ""];
  let forgotMs: number | null = null;
  const child = startChild("forgetting-child.js", args, (word, rest) => {
    if (word === "state") state = rest;
    if (word === "planted") planted = rest;
    if (word === "violation") violations.push(rest);
    if (word === "forgot") forgotMs = Number(rest);
    if (word === "forgetting" && after !== null) setTimeout(() => child.kill(), after);
  });
  const { killed, exitCode, errors } = await child.ended;
  if (!killed && exitCode !== 0) violations.push(`it ended by itself (${exitCode}): ${errors.slice(0, 600)}`);
  return { killed, planted, state, forgotMs: forgotMs as number | null, violations };
}
