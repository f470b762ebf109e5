// `/memory [label]` shows core memory with its last revisions; `/memory history [label]` shows the revisions alone.
import { whenLabel } from "../labels.ts";
import { span } from "../row.ts";
import type { ModuleView, RevisionRecord } from "../runtime-records.ts";
import { diffLines } from "../text-diff.ts";
import type { Paragraph } from "../view-item.ts";
import { type Command, type CommandContext, type CommandOutcome, noteOutcome, refusalOutcome } from "./command.ts";

const revisionsPerModule = 3;
const revisionsOfHistory = 20;
const changesPerRevision = 6;

export const memoryCommand: Command = {
  name: "memory",
  usage: "/memory [label]",
  summary: "show core memory; /memory history for every edit",
  isAlwaysReady: true,
  async run(context) {
    const [first = "", second = ""] = context.argument.split(/\s+/);
    return first === "history" ? showHistory(context, second) : showModules(context, first);
  },
};

async function showModules(context: CommandContext, label: string): Promise<CommandOutcome> {
  const all = await context.runtime.memory.show(context.agent.record.id);
  const modules = label === "" ? all : all.filter((module) => module.label === label);
  if (modules.length === 0) return noSuchModule(label, all);
  const panels = await Promise.all(modules.map((module) => modulePanel(context, module)));
  return { items: panels.map((paragraphs) => ({ kind: "panel", paragraphs })) };
}

async function showHistory(context: CommandContext, label: string): Promise<CommandOutcome> {
  const agentId = context.agent.record.id;
  const all = await context.runtime.memory.show(agentId);
  if (label !== "" && !all.some((module) => module.label === label)) return noSuchModule(label, all);
  const revisions = await context.runtime.memory.revisions(agentId, {
    limit: revisionsOfHistory,
    ...(label === "" ? {} : { label }),
  });
  if (revisions.length === 0) return noteOutcome("Core memory was not edited yet.");
  return {
    items: [
      {
        kind: "panel",
        paragraphs: revisions.flatMap((revision) => revisionParagraphs(revision, context.now(), "named")),
      },
    ],
  };
}

async function modulePanel({ runtime, agent, now }: CommandContext, module: ModuleView): Promise<readonly Paragraph[]> {
  const { label, length, limit, readOnly, description, value } = module;
  const revisions = await runtime.memory.revisions(agent.record.id, { label, limit: revisionsPerModule });
  const marks = `${length}/${limit}${readOnly ? ", read-only" : ""}${description === null ? "" : `  ${description}`}`;
  return [
    { indent: 0, spans: [span(`${label} `, "strong"), span(marks, "faint")] },
    { indent: 2, spans: [value === "" ? span("(empty)", "faint") : span(value)] },
    ...revisions.flatMap((revision) => revisionParagraphs(revision, now(), "unnamed")),
  ];
}

function revisionParagraphs(revision: RevisionRecord, now: Date, naming: "named" | "unnamed"): readonly Paragraph[] {
  const { label, origin, toolName, undoes, at } = revision;
  const number = naming === "named" ? `${label} r${revision.revision}` : `r${revision.revision}`;
  const cause = undoes === null ? (toolName ?? `by ${origin}`) : `takes back r${undoes}`;
  const changes = diffLines(revision.before, revision.after);
  const rest = changes.length - changesPerRevision;
  return [
    { indent: naming === "named" ? 0 : 2, spans: [span(`${number}  ${cause}, ${whenLabel(at, now)}`, "faint")] },
    ...changes.slice(0, changesPerRevision).map(
      ({ sign, text }): Paragraph => ({
        indent: 4,
        spans: [span(`${sign} ${text}`, sign === "+" ? "added" : "removed")],
      }),
    ),
    ...(rest > 0 ? [{ indent: 4, spans: [span(`… ${rest} more changed lines`, "faint")] }] : []),
  ];
}

function noSuchModule(label: string, modules: readonly ModuleView[]): CommandOutcome {
  return refusalOutcome(
    `Core memory has no module "${label}".`,
    `It has: ${modules.map((module) => module.label).join(", ") || "none"}.`,
  );
}
