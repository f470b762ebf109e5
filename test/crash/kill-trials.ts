// Trials of turns and of compactions: a process runs turns until it is killed, and the next one checks what it finds.
import { type Boundary, compactionBoundaries, turnBoundaries } from "./boundaries.ts";
import { type Findings, type Place, placeArguments, startChild } from "./start-child.ts";

export interface KillTrials {
  readonly trials: number;
  readonly kind: "turns" | "compactions";
  readonly place: Place;
  /** What is committed in a wrong order; undefined: nothing. */
  readonly brokenOrder: string | undefined;
}

const trialsPerAgent = 30;
const maxAtEach = 25;

interface Run {
  readonly boundary: Boundary | null;
  readonly agent: string;
  readonly acknowledged: number[];
  readonly kept: number[];
  readonly toTheEnd?: boolean;
}

export async function runKillTrials({ trials, kind, place, brokenOrder }: KillTrials): Promise<Findings> {
  const boundaries: readonly Boundary[] = kind === "turns" ? turnBoundaries : compactionBoundaries;
  // What is left over is killed at random.
  const atEach = Math.min(maxAtEach, Math.floor((trials * 0.8) / boundaries.length));
  const histogram = new Map<string, number>();
  const violations: string[] = [];
  let run: Run | null = null;
  for (let number = 0; number < trials; number += 1) {
    const boundary = number < atEach * boundaries.length ? (boundaries[number % boundaries.length] ?? null) : null;
    run = { ...(run === null || number % trialsPerAgent === 0 ? newAgent(kind, number) : run), boundary };
    const outcome = await runOnce(run);
    const name = `${kind}, trial ${number} (${boundary ?? "at random"})`;
    violations.push(...outcome.violations.map((violation) => `${name}: ${violation}`));
    const killedAt = outcome.killed ? `${kind}: ${boundary ?? "at random"}` : "not killed";
    histogram.set(killedAt, (histogram.get(killedAt) ?? 0) + 1);
  }
  // The last process runs to its end, so that the last kill is checked too.
  if (run !== null) {
    const last = await runOnce({ ...run, boundary: null, toTheEnd: true });
    violations.push(...last.violations.map((violation) => `${kind}, after the last trial: ${violation}`));
  }
  return { histogram, violations };

  async function runOnce({ boundary, agent, acknowledged, kept, toTheEnd = false }: Run) {
    const found: string[] = [];
    const args = [...placeArguments(place), "--agent", agent];
    args.push("--acknowledged", acknowledged.join(","), "--kept", kept.join(","));
    if (boundary !== null) args.push("--boundary", boundary, "--time", String(1 + Math.floor(Math.random() * 4)));
    if (Math.random() < 0.5) args.push("--resume");
    if (toTheEnd) args.push("--turns", "2");
    if (kind === "compactions") args.push("--compactions");
    if (brokenOrder !== undefined) args.push("--broken-order", brokenOrder);
    const child = startChild("child.js", args, (word, rest) => {
      if (word === "ack") acknowledged.push(Number(rest));
      if (word === "kept") kept.push(Number(rest));
      if (word === "violation") found.push(rest);
      if (word === "ready" && boundary === null && !toTheEnd) setTimeout(() => child.kill(), Math.random() * 250);
    });
    const { killed, exitCode, errors } = await child.ended;
    if (!killed && !(toTheEnd && exitCode === 0))
      found.push(`it ended by itself (${exitCode}): ${errors.slice(0, 600)}`);
    return { killed, violations: found };
  }
}

function newAgent(kind: string, number: number): Pick<Run, "agent" | "acknowledged" | "kept"> {
  return { agent: `${kind}-${number}`, acknowledged: [], kept: [] };
}
