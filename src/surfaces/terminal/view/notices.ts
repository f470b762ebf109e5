// Converts records of the runtime to items: approvals, questions, compactions, reverted edits, the welcome.
import type { EventOf, RevertedEdit } from "../../../agent/events.ts";
import { countLabel, modelLabel, shortened, shrinkLabel } from "../rows/labels.ts";
import { type Row, span, type Span } from "../rows/row.ts";
import type { Agent, McpQuestion } from "../runtime-records.ts";
import { visibleMessages } from "./past-items.ts";
import type { NoticeLevel, Paragraph, ViewItem } from "./view-item.ts";

/** Returns a notice; `advice` says what the user can do next. */
export function notice(level: NoticeLevel, text: string, advice?: string): ViewItem {
  return { kind: "notice", level, text, ...(advice === undefined ? {} : { advice }) };
}

/** Returns the approval prompt for a call. */
export function approvalItem({ toolName, arguments: asked, preview, expiresAt }: AskedCall): ViewItem {
  return { kind: "approval", toolName, arguments: asked, preview, expiresAt };
}

type AskedCall = Omit<Extract<ViewItem, { kind: "approval" }>, "kind">;

/** Returns the notice about a question of an MCP server that waits for an answer. */
export function questionItem({ server, message, fields }: McpQuestion): ViewItem {
  const lines = fields.map(({ name, title, description, kind, options, isRequired, preset }) => {
    const about = [title, description].filter((text) => text !== null).join(": ");
    const form = options.length > 0 ? options.join(" | ") : kind;
    return `${name}${preset !== null ? ` (${String(preset)})` : isRequired ? "" : " (optional)"}: ${form}${about === "" ? "" : `  ${about}`}`;
  });
  return notice(
    "warning",
    [`The MCP server ${server} asks: ${message}`, ...lines].join("\n"),
    `/answer ${exampleOf(fields)} answers; /answer --decline refuses. The call waits.`,
  );
}

function exampleOf(fields: McpQuestion["fields"]): string {
  if (fields.length === 0) return "yes";
  return fields.length === 1 ? "VALUE" : fields.map(({ name }) => `${name}=…`).join(" ");
}

type Panel = Extract<ViewItem, { kind: "panel" }>;

/** Returns a panel. Each paragraph starts on a new row. */
export function panel(paragraphs: readonly Paragraph[]): Panel {
  return { kind: "panel", paragraphs };
}

/** Returns a panel with the lines of a text. In a table, a long line continues below its last column. */
export function linesPanel(text: string): Panel {
  // A line that begins far to the right belongs to the last column of the line above, and is joined with that line.
  const lines = text.replaceAll(/\n {10,40}(?=\S)/gu, " ").split("\n");
  return panel(
    lines.map((line) => {
      const [lead = ""] = /^(?:.{0,30} {2}|.{0,2})/u.exec(line) ?? [];
      return { indent: 0, lead: [span(lead)], spans: [span(line.slice(lead.length))] };
    }),
  );
}

/** Returns a panel of single rows, which are cut at the width. */
export function rowPanel(paragraphs: readonly Paragraph[]): ViewItem {
  return { kind: "panel", isCut: true, paragraphs };
}

const maxSummaryLength = 300;

type CompactionFigures = Pick<EventOf<"compaction">, "messages" | "tokensBefore" | "tokensAfter" | "summary">;

/** Returns the notice about a compaction: its figures, and the beginning of the summary. */
export function compactionItem({ messages, tokensBefore, tokensAfter, summary }: CompactionFigures): ViewItem {
  const text = `Compacted ${countLabel(messages, "message")}: ${shrinkLabel(tokensBefore, tokensAfter)}. They stay in recall.`;
  return notice("note", text, summary === "" ? undefined : shortened(summary, maxSummaryLength));
}

const maxPassageLength = 200;

interface RevertedView {
  readonly edits: readonly RevertedEdit[];
  readonly passages: readonly { readonly text: string }[];
}

/** Returns the items about reverted edits and passages; none if nothing was reverted. `modules` have the limits to show. */
export function revertedItems(
  { edits, passages }: RevertedView,
  modules: readonly { readonly label: string; readonly limit: number }[],
): readonly ViewItem[] {
  const parts = [
    ...edits.map(({ label, revision }) => `revision ${revision} of ${label}`),
    ...(passages.length === 0 ? [] : [`${countLabel(passages.length, "passage")} of the archive`]),
  ];
  if (parts.length === 0) return [];
  return [
    notice("note", `Reverted ${parts.join(", ")}.`),
    ...edits.map(
      ({ label, before, after }): ViewItem => ({
        kind: "memory-edit",
        label,
        before: after,
        after: before,
        limit: modules.find((module) => module.label === label)?.limit ?? null,
      }),
    ),
    ...(passages.length === 0 ? [] : [passagePanel(passages)]),
  ];
}

function passagePanel(passages: RevertedView["passages"]): ViewItem {
  const lines = passages.map(({ text }) => shortened(text.replaceAll(/\s+/g, " "), maxPassageLength));
  return panel(lines.map((line) => ({ indent: 2, spans: [span(`- ${line}`, "removed")] })));
}

type Welcome = { readonly agent: Agent; readonly version: string; readonly notice?: string };

/** Returns the welcome as a panel of single rows. At most six rows, at any width. */
export function welcomeItem({ agent, version, notice: line }: Welcome): ViewItem {
  const count = visibleMessages(agent.messages).length;
  const conversation = count === 0 ? "new conversation" : `resumed, ${countLabel(count, "message")} in the window`;
  const { model: name, settings } = agent.record;
  const model = modelLabel(name, settings.baseUrl);
  const rows: readonly Row[] = [
    [span("Palimpsest ", "strong"), span(version, "faint")],
    [span("agent ", "faint"), span(agent.record.name, "strong"), span(` · ${conversation}`, "faint")],
    // The model's name is left out if the notice already contains it.
    ...(line?.includes(model) === true ? [] : [[span(model, "faint")] as readonly Span[]]),
    ...(line === undefined ? [] : [[span(line.replaceAll(/\s+/g, " "), "warning")] as readonly Span[]]),
    [span("Type a message, or / for the commands.", "faint")],
  ];
  return rowPanel(rows.map((spans) => ({ indent: 0, spans })));
}
