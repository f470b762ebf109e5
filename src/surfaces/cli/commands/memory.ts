// `palimpsest memory`: core memory and its edits.
import { ConfigError, DependentEditsError } from "../../../base/errors.ts";
import { diffLines } from "../../../base/line-diff.ts";
import { skillOfLabel } from "../../../base/module-label.ts";
import type { ModuleView } from "../../../runtime/memory/contract.ts";
import { type CommandCall, commandTable } from "../command.ts";
import { changeLines, editText, indent, minute } from "../format/listing-texts.ts";
import { limitFlag, revisionFlag, wholeNumber } from "../parse/flag-values.ts";
import { given } from "../../../base/given.ts";
import { coreModule } from "../parse/named-module.ts";
import { filledTextOf, textOf } from "../parse/read-text.ts";
import type { ModuleDiff, Revision, RevisionCause, UndoneRevision } from "../runtime-records.ts";
import { confirm } from "../print.ts";
import { checkoutDiff } from "./memory-checkout.ts";

export const commands = commandTable({
  "memory show": {
    usage: "[LABEL [--at N]]",
    summary: "show an agent's core memory",
    flags: ["agent", "at", "json"],
    async run(call, label?: string) {
      const shown = await shownModules(call, label);
      const listed = shown.filter((one) => label !== undefined || skillOfLabel(one.label) === null);
      return { json: shown, text: listed.map(moduleText).join("\n\n") };
    },
  },
  "memory set": {
    usage: "LABEL TEXT",
    summary: "replace a module of core memory; - reads stdin",
    details: "The edit is a revision: `palimpsest memory undo LABEL` undoes it.",
    flags: ["agent", "json"],
    async run(call, label, word) {
      const text = await textOf(word, call.world);
      const module = await (await call.runtime()).memory.set(call.agent, label, text);
      return {
        json: module,
        text: `${module.label} is now at revision ${module.revision} (${module.length}/${module.limit} characters).`,
      };
    },
  },
  "memory remember": {
    usage: "TEXT",
    summary: "add a fact about you to core memory; - reads stdin",
    flags: ["agent", "json"],
    async run(call, word) {
      const fact = await filledTextOf(word, call.world);
      const edited = await (await call.runtime()).memory.remember(call.agent, fact);
      return {
        json: edited,
        text: edited === null ? "Already in core memory." : `${edited.label} is now at revision ${edited.revision}.`,
      };
    },
  },
  "memory history": {
    usage: "[LABEL]",
    summary: "show the edits of core memory, newest first",
    flags: ["agent", "limit", "json"],
    async run(call, label?: string) {
      const limit = limitFlag(call.line);
      const changes = await (await call.runtime()).memory.revisions(call.agent, { limit, ...given({ label }) });
      if (label !== undefined && changes.length === 0) await coreModule(call, label);
      const text = changes.length === 0 ? "There are no edits yet." : changes.map(changeText).join("\n\n");
      return { json: changes, text };
    },
  },
  "memory diff": {
    usage: "[LABEL|DIR] [--from N] [--to N]",
    summary: "show what changed in a module between two revisions",
    details:
      "Default: the last edit of LABEL; without LABEL, the last edit of any module. With the path of a checkout, such as\n" +
      "./notes, shows what differs between the checkout and memory.",
    flags: ["agent", "from", "to", "json"],
    async run(call, label?: string) {
      const isPath = label !== undefined && /[^\w-]/u.test(label) && skillOfLabel(label) === null;
      if (isPath) return checkoutDiff(call, label);
      const diff = await diffOf(call, label);
      if (diff === null) return { json: null, text: "There are no edits yet." };
      return { json: diffShape(diff), text: diffText(diff) };
    },
  },
  "memory cause": {
    usage: "LABEL REVISION",
    summary: "show what a revision of core memory came from",
    flags: ["agent", "json"],
    async run(call, label, word) {
      const revision = wholeNumber(word, "REVISION", { min: 1, max: 999_999_999 });
      const cause = await (await call.runtime()).memory.cause(call.agent, label, revision);
      return { json: cause, text: causeText(cause) };
    },
  },
  "memory undo": {
    usage: "[LABEL] [--revision N [--force]]",
    summary: "undo the last edit of core memory, or a named revision",
    details:
      "If later edits changed lines that the revision wrote, undo is refused and lists them;\n" +
      "--force undoes them as well.",
    flags: ["agent", "revision", "force", "yes", "json"],
    async run(call, label?: string) {
      const undone = await undo(call, label);
      return { json: undone, text: undoneText(undone) };
    },
  },
});

async function shownModules(call: CommandCall, label: string | undefined): Promise<readonly ModuleView[]> {
  const at = revisionFlag(call.line, "at", 0);
  if (label === undefined && at !== undefined)
    throw new ConfigError(`--at needs a module, as in memory show human --at ${at}.`);
  const { memory } = await call.runtime();
  if (label === undefined) return memory.show(call.agent);
  const named = await coreModule(call, label);
  return at === undefined ? [named] : [await memory.at(call.agent, label, at)];
}

function moduleText(module: ModuleView): string {
  const marks = [
    `${module.length}/${module.limit} characters`,
    `revision ${module.revision}`,
    module.scope === "user" ? "yours" : "the agent's",
    ...(module.readOnly ? ["read-only"] : []),
  ];
  return `${module.label} (${marks.join(", ")})\n${module.value === "" ? "  (empty)" : indent(module.value)}`;
}

function changeText(change: Revision): string {
  const cause = change.toolName === null ? `by ${change.origin}` : `by ${change.origin}, ${change.toolName}`;
  return editText(change, `${change.label}, revision ${change.revision}, ${cause}`);
}

function causeText({ revision, call, input }: RevisionCause): string {
  const called = call === null ? [] : [`call     ${call.name} ${call.arguments}`];
  const said = input === null ? [] : [`message  ${minute(input.at)}  ${input.id}`, indent(input.text)];
  return [changeText(revision), ...called, ...said].join("\n");
}

async function diffOf(call: CommandCall, label: string | undefined): Promise<ModuleDiff | null> {
  const from = revisionFlag(call.line, "from", 0);
  const to = revisionFlag(call.line, "to", 0);
  if (label === undefined && (from !== undefined || to !== undefined)) {
    throw new ConfigError("--from and --to need a module, as in memory diff human --from 1.");
  }
  const { memory } = await call.runtime();
  const changed = label ?? (await memory.revisions(call.agent, { limit: 1 }))[0]?.label;
  return changed === undefined ? null : memory.diff(call.agent, changed, given({ from, to }));
}

export function diffShape(diff: ModuleDiff): object {
  const changes = diffLines(diff.before, diff.after);
  const linesWith = (sign: "+" | "-") => changes.filter((change) => change.sign === sign).map(({ text }) => text);
  return { ...diff, removed: linesWith("-"), added: linesWith("+") };
}

function diffText({ label, from, to, before, after }: ModuleDiff): string {
  const head = `${label}, revision ${from} to ${to}`;
  const changes = changeLines(before, after);
  return [head, ...(changes.length === 0 ? ["  (no difference)"] : changes)].join("\n");
}

async function undo(call: CommandCall, label: string | undefined): Promise<UndoneRevision | null> {
  const revision = revisionFlag(call.line, "revision", 1);
  if (label === undefined && revision !== undefined) {
    throw new ConfigError(`--revision needs a module, as in memory undo human --revision ${revision}.`);
  }
  const { memory } = await call.runtime();
  if (revision === undefined) {
    const undone = await memory.undo(call.agent, label);
    if (undone === null && label !== undefined) await coreModule(call, label);
    return undone;
  }
  try {
    return await memory.undo(call.agent, label, { revision });
  } catch (error) {
    if (!(error instanceof DependentEditsError)) throw error;
    if (!(await mayForce(call, error))) throw error;
    return memory.undo(call.agent, label, { revision, force: true });
  }
}

/** Returns whether later edits may be reverted, too: only with `--force` and, in a terminal, `--yes` or a confirmation. */
async function mayForce({ line, world }: CommandCall, { edits }: DependentEditsError): Promise<boolean> {
  if (!line.switches.has("force")) return false;
  if (!world.isTerminal || line.switches.has("yes")) return true;
  const later = edits.flatMap(({ label, later: numbers }) => numbers.map((number) => `${number} of ${label}`));
  return confirm(world, `This also reverts revision ${later.join(", ")}. Continue?`);
}

function undoneText(undone: UndoneRevision | null): string {
  if (undone === null) return "There is nothing to undo.";
  return [...undone.later, undone]
    .map(({ label, revision }) => `Reverted revision ${revision} of ${label}.`)
    .join("\n");
}
