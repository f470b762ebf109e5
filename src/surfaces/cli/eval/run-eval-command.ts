// Runs `palimpsest eval`: reads cases from files, runs them in a temporary runtime, and prints the report.
// Invariant: nothing is sent to a model before the cost was shown and accepted.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ConfigError } from "../../../base/errors.ts";
import { estimateCost } from "../../eval/estimate-cost.ts";
import { type EvalSet, readShippedSets, shortened } from "../../eval/eval-set.ts";
import { judgeVersion } from "../../eval/judge.ts";
import { evalFormats, loadSets } from "../../eval/loaders/load-sets.ts";
import { chartOf, type EvalReport, reportOf, tableOf } from "../../eval/report.ts";
import { openResultFile } from "../../eval/result-file.ts";
import { type EvalOptions, runEval } from "../../eval/run-eval.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import type { CommandCall } from "../command.ts";
import { choiceOf, numberFlag, optionalNumberFlag, settingsOf, shareFlag } from "../parse/flag-values.ts";
import { confirm, notice, printResult } from "../print.ts";

/** Runs the evaluation and resolves to the exit code. Throws RuntimeError. */
export async function runEvalCommand(call: CommandCall): Promise<number> {
  const sets = setsOf(call);
  const judges = call.line.texts.judge;
  const { model } = await call.world.settings(settingsOf(call.line));
  if (judges === model) throw new ConfigError(`--judge: expected another model than --model, got "${judges}".`);
  const models = judges === undefined ? null : { answers: model, judges };
  const runs = models === null ? 1 : numberFlag(call.line, "runs", { min: 1, max: 20, otherwise: 1 });
  const cases = sets.flatMap((set) => set.cases ?? []);
  const runtime = await call.world.openTrial(settingsOf(call.line), (line) => notice(call, line), cases);
  try {
    if (models !== null && !(await isAccepted(call, runtime, { sets, runs, models }))) return 1;
    const report = await evaluate(call, runtime, { sets, runs, models });
    printResult(call, { json: report, text: tableOf(report) });
    return exitCodeOf(call, report);
  } finally {
    await runtime.close();
  }
}

function setsOf({ line, words }: CommandCall): readonly EvalSet[] {
  const format = choiceOf(line.texts.format ?? "palimpsest", "--format", evalFormats, ", ");
  const sets = words.length === 0 ? readShippedSets() : words.flatMap((file) => loadSets(file, format));
  const limit = optionalNumberFlag(line, "limit", { min: 1, max: 1_000_000 });
  return limit === undefined ? sets : shortened(sets, limit);
}

interface Plan {
  readonly sets: readonly EvalSet[];
  readonly runs: number;
  readonly models: EvalOptions["models"];
}

async function isAccepted(
  call: CommandCall,
  runtime: Runtime,
  { sets, runs, models }: Plan & { readonly models: NonNullable<Plan["models"]> },
): Promise<boolean> {
  const priceOf = async (model: string) =>
    (await runtime.agents.open(`price of ${model}`.replaceAll("/", " "), { create: { model }, withoutCalls: true }))
      .price;
  const prices = { answers: await priceOf(models.answers), judges: await priceOf(models.judges) };
  const { answers, verdicts, tokens, dollars } = estimateCost(sets, runs, prices);
  const cost = dollars === null ? "price not known (setting `prices`)" : `about $${dollars.toFixed(2)}`;
  const text = `${answers} answers and ${verdicts} verdicts, about ${tokens.toLocaleString("en")} tokens, ${cost}`;
  notice(call, `At most: ${text}.`);
  return call.line.switches.has("yes") || confirm(call.world, "Start?");
}

async function evaluate(call: CommandCall, runtime: Runtime, { sets, runs, models }: Plan): Promise<EvalReport> {
  const folder = call.line.texts.out;
  const { version, signal } = call.world;
  const sizes = sets.map(({ name, questions, talk, cases }) => [name, questions.length, (talk ?? cases)?.length ?? 0]);
  const subject = { version, models, judgeVersion, sets: sizes };
  const file = folder === undefined ? null : openResultFile(folder, subject);
  const known = file?.known ?? [];
  if (known.length > 0) notice(call, `Continuing after ${known.length} results.`);
  const onResult: EvalOptions["onResult"] = (result) => file?.add(result);
  const note = (line: string): void => notice(call, line);
  const results = await runEval(runtime, sets, { models, runs, known, onResult, note, signal });
  const report = reportOf(results, { version, models, runs });
  if (folder !== undefined) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "report.json"), `${JSON.stringify(report, null, 2)}\n`);
    writeFileSync(path.join(folder, "chart.svg"), chartOf(report));
  }
  return report;
}

/** Returns 1 if a limit of `--min-recall`, `--max-junk`, `--max-missed` or `--min-score` is violated, else 0. */
function exitCodeOf(call: CommandCall, { total }: EvalReport): number {
  const bounds = [
    ["min-recall", "recall@10", total.recallAt10, "below"],
    ["max-junk", "the junk rate", total.junkRate, "above"],
    ["max-missed", "the share of missed questions", total.missedRate, "above"],
    ["min-score", "the score", total.score, "below"],
  ] as const;
  const broken = bounds.flatMap(([flag, figure, value, side]) => {
    const bound = shareFlag(call.line, flag);
    if (bound === undefined) return [];
    const isBroken = side === "below" ? (value ?? 0) < bound : (value ?? 0) > bound;
    return isBroken ? [`${figure} is ${side} ${bound}`] : [];
  });
  for (const bound of broken) notice(call, `A limit is violated: ${bound}.`);
  return broken.length === 0 ? 0 : 1;
}
