// Trials of messages between agents: a process whose agents write to each other is killed. The next one must find each reply once.
import { type Findings, type Place, placeArguments, startChild } from "./start-child.ts";

export async function runMessageTrials(trials: number, place: Place): Promise<Findings> {
  const histogram = new Map<string, number>();
  const violations: string[] = [];
  const count = (what: string): void => void histogram.set(what, (histogram.get(what) ?? 0) + 1);
  let tookMs = 0;
  // The first one ends, to show how long it takes. The last one only checks the last kill.
  for (let number = 0; number <= trials + 1; number += 1) {
    const args = [...placeArguments(place), "--number", String(number)];
    if (number > trials) args.push("--last");
    const isKilled = number > 0 && number <= trials;
    const child = startChild("messages-child.js", args, (word, rest) => {
      if (word === "state") count(`messages: ${rest}`);
      if (word === "violation") violations.push(`messages, trial ${number - 1}: ${rest}`);
      if (word === "written") tookMs = Number(rest);
      if (word === "writing" && isKilled) setTimeout(() => child.kill(), Math.random() * tookMs);
    });
    const { killed, exitCode, errors } = await child.ended;
    if (isKilled) count(`messages: ${killed ? "killed" : "ended before its kill"}`);
    if (!killed && exitCode !== 0) violations.push(`it ended by itself (${exitCode}): ${errors.slice(0, 600)}`);
  }
  return { histogram, violations };
}
