// The list of sources for `/attach` and `/detach`, attached ones first.
import { takeCodePoints } from "../../../base/code-points.ts";
import { countLabel } from "../rows/labels.ts";
import { span } from "../rows/row.ts";
import type { SourceRecord } from "../runtime-records.ts";
import type { Paragraph } from "../view/view-item.ts";
import { type CommandContext, type CommandOutcome, noteOutcome } from "./command.ts";

const listed = 50;
/** Maximum length of a description, in code points. */
const shown = 200;

export async function listSources({ runtime, agent }: CommandContext): Promise<CommandOutcome> {
  const sources = await runtime.sources.list();
  if (sources.length === 0)
    return noteOutcome(
      "There are no sources yet.",
      "`palimpsest load FOLDER --source NAME` creates one from your files.",
    );
  const isAttached = ({ agentIds }: SourceRecord): boolean => agentIds.includes(agent.record.id);
  const attached = sources.filter(isAttached);
  const others = sources.filter((source) => !isAttached(source));
  const paragraphs = [
    ...attached.map((source) => paragraphOf(source, true)),
    ...others.map((source) => paragraphOf(source, false)),
  ];
  return {
    items: [
      { kind: "panel", isCut: true, paragraphs: paragraphs.slice(0, listed) },
      { kind: "notice", level: "note", text: nextText(attached, others) },
    ],
  };
}

/** `2 files, 3 passages`. */
export function contentsLabel({ files, passages }: SourceRecord): string {
  return `${countLabel(files, "file")}, ${countLabel(passages, "passage")}`;
}

function paragraphOf(source: SourceRecord, isAttached: boolean): Paragraph {
  const about = source.description === null ? "" : `  ${takeCodePoints(source.description, shown)}`;
  return {
    indent: 0,
    spans: [
      span(isAttached ? "  attached  " : "            ", "accent"),
      span(source.name, isAttached ? "strong" : "plain"),
      span(`  ${contentsLabel(source)}${about}`, "faint"),
    ],
  };
}

function nextText(attached: readonly SourceRecord[], others: readonly SourceRecord[]): string {
  const rest = attached.length + others.length - listed;
  const [other] = others;
  const [own] = attached;
  return [
    ...(rest > 0 ? [`${rest} more: \`palimpsest sources list\` shows all.`] : []),
    ...(other === undefined ? [] : [`/attach ${other.name} lets the agent search it.`]),
    ...(own === undefined ? [] : [`/detach ${own.name} detaches it.`]),
  ].join(" ");
}
