// Trials of messages between agents: a process whose agents write to each other is killed, and so is each third one that continues
// what was left. The next one must find each reply once.
import { type Findings, type Place, placeArguments, startChild } from "./start-child.ts";

export async function runMessageTrials(trials: number, place: Place): Promise<Findings> {
  const histogram = new Map<string, number>();
  const violations: string[] = [];
  const count = (what: string): void => void histogram.set(what, (histogram.get(what) ?? 0) + 1);
  /** The longest time of each phase that has ended. */
  const tookMs = { recovering: 0, writing: 0 };
  let unchecked = 0;
  let kills = 0;
  // The first one ends, to show how long it takes. The last one only checks. One that ends before its kill is no trial.
  for (let number = 0, isLast = false; !isLast; number += 1) {
    isLast = kills === trials || number > 3 * trials;
    const args = [...placeArguments(place), "--number", String(number), "--from", String(unchecked)];
    if (isLast) args.push("--last");
    const isKilled = number > 0 && !isLast;
    const killedWhile = number % 3 === 2 ? "recovering" : "writing";
    const child = startChild("messages-child.js", args, (word, rest) => {
      if (word === "state") count(`messages: ${rest}`);
      if (word === "violation") violations.push(`messages: ${rest}`);
      if (word === "checked") unchecked = Number(rest) + 1;
      if (word === "recovered") tookMs.recovering = Math.max(tookMs.recovering, Number(rest));
      if (word === "written") tookMs.writing = Number(rest);
      if (isKilled && word === killedWhile) setTimeout(() => child.kill(), Math.random() * tookMs[killedWhile]);
    });
    const { killed, exitCode, errors } = await child.ended;
    if (killed) count(`messages: killed while ${killedWhile}`);
    kills += killed ? 1 : 0;
    if (!killed && exitCode !== 0) violations.push(`it ended by itself (${exitCode}): ${errors.slice(0, 600)}`);
  }
  if (kills < trials) histogram.set("not killed", trials - kills);
  return { histogram, violations };
}
