// `palimpsest context`: the content of a window, and what the memories contain for a query.
// Invariant: no text found for a query is cut, because the query planner has fitted the texts into the token budget.
import { citationText } from "../../../base/message/citation.ts";
import { stripControl } from "../../../base/terminal-text.ts";
import {
  cachedPercent,
  hiddenText,
  numberText,
  omissionText,
  partTexts,
  windowSourceText,
} from "../../../base/window-words.ts";
import { commandTable } from "../command.ts";
import { alignColumns, indent, minute, tagText, trustText } from "../format/listing-texts.ts";
import { optionalNumberFlag } from "../parse/flag-values.ts";
import { given } from "../../../base/given.ts";
import { queryOf } from "../parse/read-text.ts";
import type { Agent, LoggedStep, PlannedContext, WindowReport } from "../runtime-records.ts";

/** Default token limit of `Runtime.getContext`. */
const defaultTokens = 4000;

export const commands = commandTable({
  context: {
    summary: "show what is in a conversation's window",
    flags: ["agent", "resume", "step", "json"],
    async run(call) {
      const id = call.line.texts.resume;
      const ordinal = optionalNumberFlag(call.line, "step", { min: 1, max: 999_999_999 });
      const { agents } = await call.runtime();
      const conversation = id === undefined ? "last" : { id };
      const agent = await agents.open(call.agent, { conversation, withoutCalls: true });
      const step = ordinal === undefined ? (await agent.steps(1))[0] : await agent.step(ordinal);
      const report = ordinal === undefined ? agent.context().report : step?.report;
      // Only for the type checker: if there is no such step, `agent.step` has already thrown an error.
      if (report === undefined) return 1;
      return {
        json: { conversationId: agent.conversationId, report, step: step === undefined ? null : stepShape(step) },
        text: [title(agent, ordinal), ...windowLines(report), ...stepLines(step, ordinal)].join("\n"),
      };
    },
  },
  "context plan": {
    usage: "QUERY",
    summary: "show what the memories contain for a question, and why",
    details:
      "Shows the synopsis, the last messages, and the best hits of working and archival memory, as the query planner chooses\n" +
      "them; then every hit and whether it was taken, the time of each source, and failed sources. Calls no model. Working\n" +
      "memory is searched if the setting workingMemory is on; with refilled, also stored texts of the conversation.",
    flags: ["agent", "resume", "tokens", "json"],
    async run(call, word) {
      const query = queryOf(word);
      const maxTokens = optionalNumberFlag(call.line, "tokens", { min: 1, max: 1_000_000 }) ?? defaultTokens;
      const chosen = given({ conversation: call.line.texts.resume });
      const planned = await (await call.runtime()).getContext(call.agent, query, { maxTokens, ...chosen });
      return { json: plannedShape(planned), text: plannedText(planned, maxTokens) };
    },
  },
});

/** Returns a model call as `--json` prints it, without its report. */
function stepShape({ ordinal, turnId, number, model, finish, usage, at }: LoggedStep): object {
  return { ordinal, turnId, number, model, finish, usage, at };
}

function title({ record, conversationId }: Agent, ordinal: number | undefined): string {
  return `${ordinal === undefined ? "The window now" : `The window at step ${ordinal}`}: ${record.name}, conversation ${conversationId}`;
}

function windowLines(report: WindowReport): readonly string[] {
  const { total, window, reserve, tiers, leftOut, compacted, factor, layout, windowFrom } = report;
  const rows = (["system", "working", "archive"] as const).map((name) => {
    const { tokens } = tiers[name];
    return [name, numberText(tokens), bar(tokens / window), partsText(tiers[name])];
  });
  const free = Math.max(0, window - reserve - total);
  const others = [
    ["free", numberText(free), bar(free / window), ""],
    ["reply", numberText(reserve), bar(reserve / window), "kept free for the reply"],
  ];
  const source = windowSourceText(windowFrom);
  return [
    `${numberText(total)} of ${numberText(window)} tokens${source === "" ? "" : ` (${source})`}, ${Math.round((100 * total) / window)} %; layout ${layout}; estimates times ${factor.toFixed(2)}, to match what the model reports`,
    alignColumns([...rows, ...others]),
    ...(compacted.messages === 0 ? [] : [hiddenText(compacted)]),
    ...leftOut.map((omission) => `left out: ${omissionText(omission)}`),
  ];
}

function partsText({ tokens, granted, parts }: WindowReport["tiers"]["system"]): string {
  return [...partTexts(parts), ...(tokens > granted ? [`over its share of ${numberText(granted)}`] : [])].join(", ");
}

function stepLines(step: LoggedStep | undefined, ordinal: number | undefined): readonly string[] {
  if (step === undefined) return ["No model call was made yet."];
  const { inputTokens, outputTokens } = step.usage;
  const name = ordinal === undefined ? `the last model call, step ${step.ordinal}` : "this model call";
  return [
    `${name}: ${step.model}, ${minute(step.at)} UTC; estimated ${numberText(step.report.total)} tokens, reported ${numberText(inputTokens)} in (${cachedPercent(step.usage)} % from the cache) and ${numberText(outputTokens)} out`,
  ];
}

const barLength = 20;

function bar(share: number): string {
  const filled = Math.max(0, Math.min(barLength, Math.round(share * barLength)));
  return `${"#".repeat(filled)}${".".repeat(barLength - filled)}`;
}

type Hit = PlannedContext["recent"][number];

function plannedShape({ recent, found, ...planned }: PlannedContext): object {
  return {
    ...planned,
    recent: recent.map(hitShape),
    found: found.map((hit) => ({ ...hitShape(hit), foundIn: hit.foundIn, score: hit.score })),
  };
}

function hitShape(hit: Hit): object {
  const { id, role, speaker, tool, text, tags = [], trust, at, source } = hit;
  const who = { role: role ?? null, ...(speaker === undefined ? {} : { speaker }), tool: tool ?? null };
  return { id, ...who, text, tags, trust, at, source: source ?? null };
}

/** Returns what the query planner has found, as text. `maxTokens` is its token budget. */
function plannedText(planned: PlannedContext, maxTokens: number): string {
  const { synopsis, recent, found, tokens, explanation, sources, warnings } = planned;
  const isNothing = synopsis === null && recent.length === 0 && found.length === 0;
  return [
    ...(isNothing ? ["Nothing was found.", ""] : []),
    ...(synopsis === null ? [] : section("Synopsis", [indent(stripControl(synopsis))])),
    ...section(
      "Last messages",
      recent.map((hit) => hitText(hit)),
    ),
    ...section(
      "Found, best first",
      found.map((hit) => hitText(hit, hit.foundIn)),
    ),
    `${numberText(tokens)} of ${numberText(maxTokens)} tokens`,
    "",
    ...explanationLines(explanation),
    alignColumns([["ASKED", "STATUS", "MS", "HITS"], ...sources.map(sourceRow)]),
    ...warnings.map((warning) => oneLine(`warning: ${warning}`)),
  ].join("\n");
}

function section(title: string, texts: readonly string[]): readonly string[] {
  return texts.length === 0 ? [] : [title, ...texts, ""];
}

function hitText(hit: Hit, foundIn?: string): string {
  const { id, at, role, speaker = role, tool, tags, trust, source, text } = hit;
  const who = tool === undefined ? speaker : `result of ${tool}`;
  const origin = source === undefined ? trustText(trust) : citationText(source);
  const head = [minute(at), foundIn, who, tagText(tags), origin, id].filter(
    (part) => part !== undefined && part !== "",
  );
  return `  ${oneLine(head.join("  "))}\n${indent(indent(stripControl(text)))}`;
}

function explanationLines(explanation: PlannedContext["explanation"]): readonly string[] {
  if (explanation.length === 0) return [];
  const rows = explanation.map(({ source, rank, tokens, outcome, reason, id }) => {
    return [`${source} ${rank}`, numberText(tokens), outcome, reason, id];
  });
  return [alignColumns([["HIT", "TOKENS", "OUTCOME", "WHY", "ID"], ...rows]), ""];
}

function sourceRow({ name, status, ms, hits }: PlannedContext["sources"][number]): readonly string[] {
  return [name, status, numberText(ms), numberText(hits)];
}

/** Returns a text as one line, so that it cannot imitate a line of this output. */
function oneLine(text: string): string {
  return stripControl(text).replaceAll("\n", " ");
}
