// The first lines of a chat: version, agent, model and conversation.
// Invariant: at most six rows, at any width.
import { countLabel, modelLabel } from "../rows/labels.ts";
import { visibleMessages } from "./past-items.ts";
import { type Row, type Span, span } from "../rows/row.ts";
import type { Agent } from "../runtime-records.ts";
import type { ViewItem } from "./view-item.ts";

export interface Welcome {
  readonly agent: Agent;
  readonly version: string;
  /** One line from the caller, such as how to get a real model. */
  readonly notice?: string;
}

/** Returns the welcome as a panel of single rows. */
export function welcomeItem({ agent, version, notice }: Welcome): ViewItem {
  const count = visibleMessages(agent.messages).length;
  const conversation = count === 0 ? "new conversation" : `resumed, ${countLabel(count, "message")} in the window`;
  const { model: name, settings } = agent.record;
  const model = modelLabel(name, settings.baseUrl);
  const rows: readonly Row[] = [
    [span("Palimpsest ", "strong"), span(version, "faint")],
    [span("agent ", "faint"), span(agent.record.name, "strong"), span(` · ${conversation}`, "faint")],
    // A notice about the model contains its name.
    ...(notice?.includes(model) === true ? [] : [[span(model, "faint")] as readonly Span[]]),
    ...(notice === undefined ? [] : [[span(notice.replaceAll(/\s+/g, " "), "warning")] as readonly Span[]]),
    [span("/help shows what you can do.", "faint")],
  ];
  return { kind: "panel", isCut: true, paragraphs: rows.map((spans) => ({ indent: 0, spans })) };
}
