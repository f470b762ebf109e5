// `/memory [label]` opens the panel of core memory; `/memory history [label]` prints its edits. `/skills [name]` prints skills.
import { whenLabel } from "../rows/labels.ts";
import { span } from "../rows/row.ts";
import { flatText, screenText } from "../rows/wrap.ts";
import { memoryPanel } from "../dialogs/memory-panel.ts";
import { causeLabel, type MemoryReading, type MemorySource } from "../dialogs/memory-panel-rows.ts";
import type { ModuleView, RevisionRecord, Runtime } from "../runtime-records.ts";
import { panel, revertedItems } from "../view/notices.ts";
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

export const skillsCommand = command({
  usage: "/skills [name]",
  summary: "list the agent's skills, or show the text of one",
  manual: "lists the agent's [skills](skills.md), or shows the text of one; `/memory skills/NAME` has its edits",
  isAlwaysReady: true,
  async run({ runtime, agent, argument }) {
    const skills = await runtime.skills.list(agent.record.id);
    if (argument === "") {
      if (skills.length === 0) return noteOutcome("There are no skills. `palimpsest skills add DIR` adds one.");
      return { items: [panel(skills.map((skill) => skillLine(skill.name, `${originOf(skill)}${skill.description}`)))] };
    }
    const found = skills.find(({ name }) => name === argument);
    if (found === undefined)
      return refusalOutcome(`There is no skill "${flatText(argument)}".`, "/skills lists the skills.");
    const { text } = await runtime.skills.find(agent.record.id, argument);
    return { items: [panel([skillLine(argument, originOf(found)), { indent: 2, spans: [span(screenText(text))] }])] };
  },
});

function originOf({ trust }: Pick<ModuleView, "trust">): string {
  return trust === "external" ? "(from outside) " : "";
}

function skillLine(name: string, text: string): Paragraph {
  return { indent: 4, lead: [span(`${name}  `, "strong")], spans: [span(flatText(text), "faint")] };
}

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

/**
 * Returns texts about who else uses a module, by the module's label: `also held by rover`, `shared with ben (append)`.
 * Modules that nobody else uses are absent. The agents of another user are never named.
 */
export async function readSharing(
  { modules, userId }: Pick<Runtime, "modules" | "userId">,
  agentId: string,
  held: readonly ModuleView[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const sharing = new Map<string, readonly string[]>();
  for (const module of held) {
    // A module of another user's agent is skipped: that user has shared the agent, not the module.
    if (module.ownerId !== userId && module.scope === "agent") continue;
    const others = (await modules.holders(module.id)).filter((holder) => holder.agentId !== agentId);
    const words = [
      ...(await grantWords({ modules, userId }, module)),
      ...(others.length === 0 ? [] : [`also held by ${others.map(({ agentName }) => flatText(agentName)).join(", ")}`]),
    ];
    if (words.length > 0) sharing.set(module.label, words);
  }
  return sharing;
}

async function grantWords(
  { modules, userId }: Pick<Runtime, "modules" | "userId">,
  { id, ownerId }: ModuleView,
): Promise<readonly string[]> {
  if (ownerId !== userId) return [`of ${flatText(ownerId)}, who lets you ${(await modules.find(id)).access}`];
  const recipients = await modules.recipients(id);
  const texts = recipients.map(
    ({ userId: other, access, state }) => `${flatText(other)} (${state === "offered" ? `${access}, offered` : access})`,
  );
  return texts.length === 0 ? [] : [`shared with ${texts.join(", ")}`];
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
  return { items: [panel(revisions.flatMap((revision) => revisionParagraphs(revision, context.now())))] };
}

function revisionParagraphs(revision: RevisionRecord, now: Date): readonly Paragraph[] {
  const { label, at } = revision;
  const changes = diffLines(revision.before, revision.after);
  const rest = changes.length - changesPerRevision;
  return [
    {
      indent: 0,
      spans: [span(`${label} r${revision.revision}  ${causeLabel(revision)}, ${whenLabel(at, now)}`, "faint")],
    },
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
