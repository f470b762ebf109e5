// Measures how consolidation changes answers, by rounds. Two agents get the same memory in portions; one of them
// consolidates after each portion. With a model, a third agent gets all texts with each question.
// Invariant: the model that builds memory saves nothing itself, so both agents get the same memory. A question with a
// result is not asked again.
import { RuntimeError } from "../../base/errors.ts";
import { estimateTokens } from "../../model/tokens/token-counter.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { EvalSet } from "./eval-set.ts";
import type { Judge } from "./judge.ts";
import { inNewConversation } from "./new-conversation.ts";
import { notMeasured, type QuestionResult } from "./results.ts";
import { talkReaderName } from "./talk-reader.ts";
import { tidierName } from "./tidier.ts";
import type { TidyingCase } from "./tidying-cases.ts";

/** Number of portions of the cases, each followed by a consolidation. Questions are asked after the `measuredRounds`. */
export const rounds = 20;
export const measuredRounds = [1, 5, 10, 20] as const;

export interface TidyingOptions {
  /** The model that consolidates and answers. If null, the tidier consolidates, and the talk reader answers. */
  readonly model: string | null;
  readonly run: number;
  readonly isOpen: (set: string, question: string) => boolean;
  readonly judge: Judge | null;
  /** Receives the size of memory after each measured round, and failures of runs. */
  readonly note: (line: string) => void;
  readonly signal: AbortSignal;
}

type Results = AsyncGenerator<QuestionResult, void>;

export async function* runTidying(runtime: Runtime, set: EvalSet, options: TidyingOptions): Results {
  const { name, cases = [] } = set;
  const agentOf = (arm: string): string => `${name} ${options.run + 1} ${arm}`;
  const both = ["raw", "consolidated"] as const;
  const rowOf = (round: number, arm: string): string => `round ${String(round).padStart(2, "0")}, ${arm}`;
  const toldBy = (round: number): readonly TidyingCase[] => cases.filter((_, at) => at % rounds < round);
  const isOpen = (row: string, told: readonly TidyingCase[]): boolean =>
    told.some(({ ask }) => options.isOpen(`${name}, ${row}`, ask));
  const isMeasured = measuredRounds.some((round) => both.some((arm) => isOpen(rowOf(round, arm), toldBy(round))));
  if (!isMeasured && (options.model === null || !isOpen("full context", cases))) return;
  for (const arm of [...both, "full context"]) {
    const made = { name: agentOf(arm), model: options.model ?? tidierName, persona: "I help the user.", human: "" };
    await runtime.agents.create(made);
  }
  const asking = { runtime, name, options };
  for (let round = 1; round <= rounds; round += 1) {
    const portion = cases.filter((_, at) => at % rounds === round - 1);
    for (const arm of both) await tell(runtime, agentOf(arm), portion);
    await consolidate(runtime, agentOf("consolidated"), portion, options);
    if (!measuredRounds.some((measured) => measured === round)) continue;
    for (const arm of both) {
      options.note(`Round ${round}, ${arm}: ${await sizeOf(runtime, agentOf(arm))}.`);
      yield* askAll(toldBy(round), { ...asking, agent: agentOf(arm), arm: rowOf(round, arm), given: [] });
    }
  }
  if (options.model === null) return;
  const given = cases.flatMap(({ core, archive, mail, said, forget }) =>
    [...core, ...archive, ...mail, ...said].filter((text) => !forget.some((part) => text.includes(part))),
  );
  yield* askAll(cases, { ...asking, agent: agentOf("full context"), arm: "full context", given });
}

async function tell(runtime: Runtime, agent: string, cases: readonly TidyingCase[]): Promise<void> {
  const open = await runtime.agents.open(agent);
  for (const { core, archive, mail, said, forget } of cases) {
    for (const line of core) await runtime.memory.remember(agent, line);
    for (const text of archive) await runtime.archival.add(agent, text);
    for (const text of mail) await runtime.archival.import(agent, [{ text }]);
    for (const text of said) await open.send(text, { model: tidierName });
    if (forget.length > 0) await runtime.forget.apply({ texts: forget });
  }
  await runtime.idle();
}

/** Maximum number of consolidations in a round. Each consolidation reads what did not fit into the previous one. */
const maxRuns = 3;

/** Consolidates memory. Removes the lines in the cases' `remove` before it applies the proposed operations. */
async function consolidate(
  runtime: Runtime,
  agent: string,
  portion: readonly TidyingCase[],
  { note, signal }: TidyingOptions,
): Promise<void> {
  for (let run = 0; run < maxRuns; run += 1) {
    try {
      const made = await runtime.consolidation.run(agent, { signal });
      if (made === null) return;
      const removed = portion.flatMap(({ remove }) => remove);
      const kept = (await coreLines(runtime, agent)).filter((line) => !removed.includes(line));
      if (removed.length > 0) await runtime.memory.set(agent, "human", kept.join("\n"));
      const dropped = made.operations.filter(({ why }) => why !== null);
      for (const { kind, reason, why } of dropped) note(`Dropped: ${kind} (${reason}): ${why}.`);
      if (made.status === "proposed") await runtime.consolidation.apply(made.id);
    } catch (error) {
      if (!(error instanceof RuntimeError)) throw error;
      note(`A consolidation failed: ${error.message}`);
      return;
    }
  }
}

async function coreLines(runtime: Runtime, agent: string): Promise<readonly string[]> {
  const human = (await runtime.memory.show(agent)).find(({ label }) => label === "human");
  return (human?.value ?? "").split("\n").filter((line) => line !== "");
}

/** Returns, as text, how many passages are current, and how full core memory is. */
async function sizeOf(runtime: Runtime, agent: string): Promise<string> {
  const passages = await runtime.archival.list(agent, { limit: null });
  const current = passages.filter(({ replacedBy }) => replacedBy === undefined).length;
  const human = (await runtime.memory.show(agent)).find(({ label }) => label === "human")!;
  return `${current} passages, core memory ${Math.round((100 * human.value.length) / human.limit)} % full`;
}

interface Arm {
  readonly runtime: Runtime;
  readonly agent: string;
  readonly arm: string;
  readonly name: string;
  /** Texts that are sent with the question; if there are none, the agent answers from memory. */
  readonly given: readonly string[];
  readonly options: TidyingOptions;
}

async function* askAll(told: readonly TidyingCase[], { runtime, agent, arm, name, given, options }: Arm): Results {
  const sending = { model: options.model ?? talkReaderName, signal: options.signal };
  for (const one of told) {
    options.signal.throwIfAborted();
    const set = `${name}, ${arm}`;
    if (!options.isOpen(set, one.ask)) continue;
    const asked = given.length === 0 ? one.ask : `What I told you:\n${given.join("\n")}\n\n${one.ask}`;
    const found = given.length === 0 ? await findIn(runtime, agent, one) : notMeasured;
    const { text, usage } = await inNewConversation(runtime, agent, async (open) => await open.send(asked, sending));
    const judged = { question: one.ask, answer: one.answer || "It is not known.", wrong: one.wrong };
    const verdicts = (await options.judge?.(judged, text)) ?? {
      isCorrect: isExpected(one, text),
      isWrongAccepted: null,
    };
    const tokens = options.model === null ? estimateTokens(text) : usage.inputTokens + usage.outputTokens;
    const facts = { set, category: arm, question: one.ask, run: options.run, isAnswerable: one.answer !== "" };
    yield { ...facts, ...found, ...verdicts, tokens, answer: text };
  }
}

function isExpected({ answer, wrong }: TidyingCase, reply: string): boolean {
  return answer === "" ? wrong === undefined || !reply.includes(wrong) : reply.includes(answer);
}

/** Searches for the answer: rank 1 if in core memory. `junk`: core memory or a current hit of the first 5 is wrong. */
async function findIn(runtime: Runtime, agent: string, { ask, answer, wrong }: TidyingCase) {
  const { hits } = await runtime.archival.search(agent, ask, { pageSize: 10, countsAccesses: false });
  const core = await coreLines(runtime, agent);
  const current = hits.slice(0, 5).flatMap(({ text, replacedBy }) => (replacedBy === undefined ? [text] : []));
  const isRight = (text: string): boolean => answer !== "" && text.includes(answer);
  const isWrong = (text: string): boolean => wrong !== undefined && text.includes(wrong) && !isRight(text);
  const literal = wrong === undefined ? null : [...core, ...current].some(isWrong) ? "junk" : "right";
  if (answer === "") return { ...notMeasured, literal } as const;
  const rank = core.some(isRight) ? 1 : hits.findIndex(({ text }) => isRight(text)) + 1;
  const isWithin = (count: number): number => Number(rank > 0 && rank <= count);
  const recall = { recallAt5: isWithin(5), recallAt10: isWithin(10), reciprocalRank: rank === 0 ? 0 : 1 / rank };
  return { ...recall, searchMs: null, literal } as const;
}
