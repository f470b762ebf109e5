// Defines the slash commands that list, attach and detach sources.
import { takeCodePoints } from "../../../base/code-points.ts";
import { countLabel } from "../rows/labels.ts";
import { span } from "../rows/row.ts";
import type { Agent, Runtime, SourceRecord } from "../runtime-records.ts";
import { notice, rowPanel } from "../view/notices.ts";
import type { Paragraph } from "../view/view-item.ts";
import { command, type CommandContext, type CommandOutcome, noteOutcome, unquoted } from "./command.ts";

export const attachCommand = command({
  usage: "/attach [SOURCE]",
  summary: "attach a source to the agent, or list the sources",
  manual: "attaches a source of files to the agent, or lists the sources",
  run: (context) =>
    withSource(context, async ({ sources }, { id, name }, source) => {
      if (!(await sources.attach(id, source.id))) return `${name} already searches "${source.name}".`;
      return `${name} now searches "${source.name}": ${contentsLabel(source)}.`;
    }),
});

export const detachCommand = command({
  usage: "/detach [SOURCE]",
  summary: "detach a source from the agent (deletes nothing)",
  manual: "detaches a source; deletes nothing",
  run: (context) =>
    withSource(context, async ({ sources }, { id, name }, source) => {
      if (!(await sources.detach(id, source.id))) return `${name} did not search "${source.name}".`;
      return `${name} no longer searches "${source.name}". Nothing was deleted.`;
    }),
});

/** Changes the source that the argument names, and returns the outcome; without an argument, returns a list of sources. */
async function withSource(
  context: CommandContext,
  change: (runtime: Runtime, agent: Agent["record"], source: SourceRecord) => Promise<string>,
): Promise<CommandOutcome> {
  const { runtime, agent, argument } = context;
  if (argument === "") return listSources(context);
  return noteOutcome(await change(runtime, agent.record, await runtime.sources.show(unquoted(argument))));
}

const listed = 50;
/** A longer description is cut to this length, in code points. */
const maxDescription = 200;

/** Returns the list of sources for `/attach` and `/detach`, attached sources first. */
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
  const shown = [...attached, ...others].slice(0, listed);
  const paragraphs = shown.map((source) => paragraphOf(source, isAttached(source)));
  return { items: [rowPanel(paragraphs), notice("note", nextText(attached, others))] };
}

/** Returns `2 files, 3 passages`. */
function contentsLabel({ files, passages }: SourceRecord): string {
  return `${countLabel(files, "file")}, ${countLabel(passages, "passage")}`;
}

function paragraphOf(source: SourceRecord, isAttached: boolean): Paragraph {
  const about = source.description === null ? "" : `  ${takeCodePoints(source.description, maxDescription)}`;
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
