// Trials of consolidations: a process that runs one, applies it and undoes it is killed. The next one must find all effects of the
// run or none, as the run says.
import { type Findings, type Place, placeArguments, startChild } from "./start-child.ts";

export interface ConsolidationTrials {
  readonly trials: number;
  readonly place: Place;
  readonly halves: boolean;
}

export async function runConsolidationTrials({ trials, place, halves }: ConsolidationTrials): Promise<Findings> {
  const histogram = new Map<string, number>();
  const violations: string[] = [];
  const count = (what: string): void => void histogram.set(what, (histogram.get(what) ?? 0) + 1);
  let tookMs: readonly number[] = [];
  // The first one ends, to show how long it takes. The last one only checks the last kill.
  for (let number = 0; number <= trials + 1; number += 1) {
    const args = [...placeArguments(place), "--number", String(number)];
    if (number > trials) args.push("--last");
    if (halves) args.push("--halves");
    const isKilled = number > 0 && number <= trials;
    const child = startChild("consolidation-child.js", args, (word, rest) => {
      if (word === "state") count(`consolidation: found ${rest}`);
      if (word === "violation") violations.push(`consolidation, trial ${number - 1}: ${rest}`);
      if (word === "consolidated") tookMs = rest.split(" ").map(Number);
      // Every third one is killed while it reads and asks the model, the others while they apply or undo.
      const [from, longest] = number % 3 === 0 ? ["consolidating", tookMs[0]] : ["applying", tookMs[1]];
      if (word === from && isKilled) setTimeout(() => child.kill(), Math.random() * (longest ?? 0));
    });
    const { killed, exitCode, errors } = await child.ended;
    if (isKilled) count(`consolidation: ${killed ? "killed" : "ended before its kill"}`);
    if (!killed && exitCode !== 0) violations.push(`it ended by itself (${exitCode}): ${errors.slice(0, 600)}`);
  }
  return { histogram, violations };
}
