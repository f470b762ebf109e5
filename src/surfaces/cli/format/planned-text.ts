// The query planner's result on the command line, as JSON and as text.
// Invariant: fields of the JSON are added, never renamed or removed; dates are ISO 8601 in UTC; no text is cut, since the
// planner has already fitted it.
import { stripControl } from "../../../base/terminal-text.ts";
import { citationText } from "../../../base/message/citation.ts";
import { numberText } from "../../../base/window-words.ts";
import { alignColumns } from "./align-columns.ts";
import { indent, minute, tagText, trustText } from "./listing-texts.ts";
import type { PlannedContext } from "../runtime-records.ts";

type Hit = PlannedContext["recent"][number];

export function plannedShape(planned: PlannedContext): object {
  const { synopsis, recent, found, tokens, explanation, sources, warnings } = planned;
  return {
    synopsis,
    recent: recent.map(hitShape),
    found: found.map((hit) => ({ ...hitShape(hit), foundIn: hit.foundIn, score: hit.score })),
    tokens,
    explanation: explanation.map(({ source, rank, id, tokens: each, outcome, reason }) => {
      return { source, rank, id, tokens: each, outcome, reason };
    }),
    sources: sources.map(({ name, status, ms, hits }) => ({ name, status, ms, hits })),
    warnings,
  };
}

function hitShape(hit: Hit): object {
  const { id, role, speaker, tool, text, tags = [], trust, at, source } = hit;
  const who = { role: role ?? null, ...(speaker === undefined ? {} : { speaker }), tool: tool ?? null };
  return { id, ...who, text, tags, trust, at, source: source ?? null };
}

/** `maxTokens`: the token budget of the plan. */
export function plannedText(planned: PlannedContext, maxTokens: number): string {
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

/** Joins a text into one line, so that it cannot imitate a line of this output. */
function oneLine(text: string): string {
  return stripControl(text).replaceAll("\n", " ");
}
