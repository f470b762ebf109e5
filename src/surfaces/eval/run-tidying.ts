// Measures what consolidation does to answers: two agents get the same memory in portions, and one of them consolidates after each.
// With a model, a third one answers from all texts at once. So the figures by round show whether memory drifts.
// Invariant: memory is built by a model that saves nothing, so both agents have the same; a question with a result is not asked again.
import { RuntimeError } from "../../base/errors.ts";
import { largest } from "../../base/lists.ts";
import { estimateTokens } from "../../model/tokens/token-counter.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { EvalSet } from "./eval-set.ts";
import { inNewConversation } from "./new-conversation.ts";
import type { QuestionResult } from "./results.ts";
import { talkReaderName } from "./talk-reader.ts";
import { tidierName } from "./tidier.ts";
import type { TidyingCase } from "./tidying-cases.ts";

/** Portions of the cases, with a consolidation after each, and the rounds after which the questions are asked. */
export const rounds = 20;
export const measuredRounds = [1, 5, 10, 20] as const;

/** Returns the cases that are told in a round, from 1: of each kind, some are early and some late. */
export function casesOfRound(cases: readonly TidyingCase[], round: number): readonly TidyingCase[] {
  return cases.filter((_, at) => at % rounds === round - 1);
}

export interface TidyingOptions {
  /** The model that consolidates and answers; null: the tidier and the talk reader. */
  readonly model: string | null;
  readonly run: number;
  readonly isOpen: (set: string, question: string) => boolean;
  readonly judge:
    | ((one: TidyingCase, reply: string) => Promise<Pick<QuestionResult, "isCorrect" | "isWrongAccepted">>)
    | null;
  /** Receives the size of memory after each measured round, and failures of runs. */
  readonly note: (line: string) => void;
  readonly signal: AbortSignal;
}

export async function* runTidying(
  runtime: Runtime,
  { name, cases = [] }: Pick<EvalSet, "name" | "cases">,
  options: TidyingOptions,
): AsyncGenerator<QuestionResult, void> {
  const [raw, tidy, full] = ["raw", "consolidated", "full context"].map((arm) => `${name} ${options.run + 1} ${arm}`);
  const settings = { summarizer: options.model ?? tidierName };
  for (const agent of [raw!, tidy!, full!])
    await runtime.agents.create({ name: agent, model: tidierName, persona: "I help the user.", human: "", settings });
  const told: TidyingCase[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const portion = casesOfRound(cases, round);
    for (const agent of [raw!, tidy!]) await tell(runtime, agent, portion, options.signal);
    for (const one of portion) told.push(one);
    await consolidate(runtime, tidy!, portion, options);
    if (!measuredRounds.some((measured) => measured === round)) continue;
    for (const [agent, arm] of [
      [raw!, "raw"],
      [tidy!, "consolidated"],
    ] as const) {
      options.note(`Round ${round}, ${arm}: ${await sizeOf(runtime, agent)}.`);
      yield* askAll(runtime, told, { agent, arm: `round ${String(round).padStart(2, "0")}, ${arm}`, name, options });
    }
  }
  if (options.model !== null) yield* askAll(runtime, told, { agent: full!, arm: "full context", name, options });
}

async function tell(
  runtime: Runtime,
  agent: string,
  cases: readonly TidyingCase[],
  signal: AbortSignal,
): Promise<void> {
  const open = await runtime.agents.open(agent);
  for (const { core, archive, mail, said, forget } of cases) {
    for (const line of core) await runtime.memory.remember(agent, line);
    for (const text of archive) await runtime.archival.add(agent, text);
    await runtime.archival.import(
      agent,
      mail.map((text) => ({ text })),
    );
    for (const text of said) await open.send(text, { signal });
    if (forget.length > 0) await runtime.forget.apply({ texts: forget });
  }
  await runtime.idle();
}

/** Most runs of a round: what does not fit into one is read by the next. */
const maxRuns = 3;

/** Lets memory be consolidated, and applies everything that waits. */
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
      for (const line of portion.flatMap(({ remove }) => remove)) await removeLine(runtime, agent, line);
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

async function removeLine(runtime: Runtime, agent: string, line: string): Promise<void> {
  const kept = (await coreLines(runtime, agent)).filter((one) => one !== line);
  await runtime.memory.set(agent, "human", kept.join("\n"));
}

async function coreLines(runtime: Runtime, agent: string): Promise<readonly string[]> {
  const human = (await runtime.memory.show(agent)).find(({ label }) => label === "human");
  return (human?.value ?? "").split("\n").filter((line) => line !== "");
}

/** Returns how many passages are current, and how full core memory is. */
export async function sizeOf(runtime: Runtime, agent: string): Promise<string> {
  const passages = await runtime.archival.list(agent, { limit: null });
  const current = passages.filter(({ replacedBy }) => replacedBy === undefined).length;
  const human = (await runtime.memory.show(agent)).find(({ label }) => label === "human")!;
  return `${current} passages, core memory ${Math.round((100 * human.value.length) / human.limit)} % full`;
}

interface Arm {
  readonly agent: string;
  readonly arm: string;
  readonly name: string;
  readonly options: TidyingOptions;
}

async function* askAll(runtime: Runtime, told: readonly TidyingCase[], asking: Arm): AsyncGenerator<QuestionResult> {
  const { agent, arm, name, options } = asking;
  const sending = { model: options.model ?? talkReaderName, signal: options.signal };
  const all = told.flatMap(({ core, archive, mail, said, forget }) =>
    [...core, ...archive, ...mail, ...said].filter((text) => !forget.some((part) => text.includes(part))),
  );
  for (const one of told) {
    options.signal.throwIfAborted();
    if (!options.isOpen(`${name}, ${arm}`, one.ask)) continue;
    const isFull = arm === "full context";
    const asked = isFull ? `What I told you:\n${all.join("\n")}\n\n${one.ask}` : one.ask;
    const found = isFull ? notFound : await findIn(runtime, agent, one);
    const { text, usage } = await inNewConversation(runtime, agent, async (open) => await open.send(asked, sending));
    const verdicts = await (options.judge?.(one, text) ?? { isCorrect: isExpected(one, text), isWrongAccepted: null });
    yield {
      set: `${name}, ${arm}`,
      category: arm,
      question: one.ask,
      run: options.run,
      ...found,
      ...verdicts,
      tokens: options.model === null ? estimateTokens(text) : usage.inputTokens + usage.outputTokens,
      answer: text,
      isAnswerable: one.answer !== "",
    };
  }
}

function isExpected({ answer, wrong }: TidyingCase, reply: string): boolean {
  return answer === "" ? wrong === undefined || !reply.includes(wrong) : reply.includes(answer);
}

const notFound = { recallAt5: null, recallAt10: null, reciprocalRank: null, searchMs: null, literal: null };

/** Searches the archive, below core memory. `junk`: one of the first five is outdated or forgotten, and looks current. */
async function findIn(runtime: Runtime, agent: string, { ask, answer, wrong }: TidyingCase) {
  const { hits } = await runtime.archival.search(agent, ask, { pageSize: 10, countsAccesses: false });
  const core = (await coreLines(runtime, agent)).map((text) => ({ text, isCurrent: true }));
  const found = hits.map(({ text, replacedBy }) => ({ text, isCurrent: replacedBy === undefined }));
  const inCore = answer !== "" && core.some(({ text }) => text.includes(answer));
  const rank = found.findIndex(({ text }) => text.includes(answer)) + 1;
  const isWithin = (count: number): number => Number(inCore || (rank > 0 && rank <= count));
  const isWrong = ({ text, isCurrent }: (typeof found)[number]): boolean =>
    isCurrent && wrong !== undefined && text.includes(wrong) && (answer === "" || !text.includes(answer));
  const known = answer === "" ? { recallAt5: null, recallAt10: null, reciprocalRank: null } : null;
  return {
    recallAt5: isWithin(5),
    recallAt10: isWithin(10),
    reciprocalRank: inCore ? 1 : rank === 0 ? 0 : 1 / largest([rank, 1]),
    ...known,
    searchMs: null,
    literal:
      wrong === undefined
        ? null
        : [...core, ...found.slice(0, 5)].some(isWrong)
          ? ("junk" as const)
          : ("right" as const),
  };
}
