// `/memory [label]` opens the panel of core memory; `/memory history [label]` prints its edits.
import { whenLabel } from "../rows/labels.ts";
import { span } from "../rows/row.ts";
import { memoryPanel } from "../dialogs/memory-panel.ts";
import { readSharing } from "../dialogs/memory-sharing.ts";
import type { MemoryReading, MemorySource } from "../dialogs/memory-panel-state.ts";
import type { ModuleView, RevisionRecord } from "../runtime-records.ts";
import { revertedItems } from "../view/notices.ts";
import { diffLines } from "../../../base/line-diff.ts";
import type { Paragraph } from "../view/view-item.ts";
import { command, type CommandContext, type CommandOutcome, noteOutcome, refusalOutcome } from "./command.ts";

/** Maximum number of edits per module in the panel. */
const editsPerModule = 200;
const revisionsOfHistory = 20;
const changesPerRevision = 6;

export const memoryCommand = command({
  usage: "/memory [label]",
  summary: "browse core memory and its edits; or print the history",
  manual:
    "opens a panel of core memory: its edits, their causes, with whom a module is shared, and undo; `/memory history [label]` prints the edits",
  isAlwaysReady: true,
  async run(context) {
    const [first = "", second = ""] = context.argument.split(/\s+/);
    return first === "history" ? showHistory(context, second) : openPanel(context, first);
  },
});

async function openPanel(context: CommandContext, label: string): Promise<CommandOutcome> {
  const { runtime, agent } = context;
  const source: MemorySource = {
    read: () => readMemory(context),
    cause: (edit) => runtime.memory.cause(agent.record.id, edit.label, edit.revision),
    async undo({ label: of, revision }, { force }) {
      const undone = await agent.undoEdit(of, { revision, force });
      return undone === null ? [] : [...undone.later, undone];
    },
  };
  const reading = await source.read();
  const { modules } = reading;
  if (label !== "" && !modules.some((module) => module.label === label)) return noSuchModule(label, modules);
  const undone = await context.open(memoryPanel(source, reading, label));
  return { items: revertedItems({ edits: undone ?? [], passages: [] }, modules) };
}

async function readMemory({ runtime, agent }: CommandContext): Promise<MemoryReading> {
  const modules = await runtime.memory.show(agent.record.id);
  const edits = new Map<string, readonly RevisionRecord[]>();
  for (const { label } of modules)
    edits.set(label, await runtime.memory.revisions(agent.record.id, { label, limit: editsPerModule }));
  return { modules, edits, sharing: await readSharing(runtime, agent.record.id, modules) };
}

async function showHistory(context: CommandContext, label: string): Promise<CommandOutcome> {
  const agentId = context.agent.record.id;
  const all = await context.runtime.memory.show(agentId);
  if (label !== "" && !all.some((module) => module.label === label)) return noSuchModule(label, all);
  const revisions = await context.runtime.memory.revisions(agentId, {
    limit: revisionsOfHistory,
    ...(label === "" ? {} : { label }),
  });
  if (revisions.length === 0) return noteOutcome("There are no edits of core memory yet.");
  return {
    items: [
      {
        kind: "panel",
        paragraphs: revisions.flatMap((revision) => revisionParagraphs(revision, context.now())),
      },
    ],
  };
}

function revisionParagraphs(revision: RevisionRecord, now: Date): readonly Paragraph[] {
  const { label, origin, toolName, undoes, at } = revision;
  const cause = undoes === null ? (toolName ?? `by ${origin}`) : `reverts r${undoes}`;
  const changes = diffLines(revision.before, revision.after);
  const rest = changes.length - changesPerRevision;
  return [
    { indent: 0, spans: [span(`${label} r${revision.revision}  ${cause}, ${whenLabel(at, now)}`, "faint")] },
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
