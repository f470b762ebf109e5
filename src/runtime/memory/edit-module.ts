// Edits a module of core memory outside of a turn.
// Invariant: an edit is made from the newest text, so that concurrent writers keep each other's lines; an existing line keeps
// its trust.
import { RequestError, RevisionConflictError } from "../../base/errors.ts";
import { appendTo, replaceIn, rewrite } from "../../memory/core/module-edits.ts";
import {
  loadCoreMemory,
  moduleChanges,
  requireSameSkills,
  type VersionedMemory,
  withTrust,
} from "../../memory/core/versioned-memory.ts";
import type { AgentRecord, ChangeCause } from "../../store/port/records.ts";
import type { Writer } from "../../memory/writer.ts";
import type { EditedModule, ModuleEdit } from "./contract.ts";
import type { CoreMemoryDraft } from "../../tool/tool.ts";
import { freshMemory } from "../operations/opening/agent-tools.ts";
import { completeModules } from "../operations/opening/read-opening.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";

/** Maximum attempts while other writers change the module, and the longest pause between two attempts in milliseconds. */
const maxAttempts = 50;
const maxPauseMs = 20;

export interface SectionChange {
  readonly label: string;
  /** Makes the change in a draft of the newest core memory. */
  change(core: CoreMemoryDraft): void;
  readonly by?: Writer | undefined;
}

/** Returns the cause of a change by the user, or by a program for the user. */
export function causeOfWriter(by: Writer | undefined): ChangeCause {
  return by === undefined ? { origin: "user" } : { origin: "api", client: by.client, trust: by.trust };
}

/**
 * Returns a function that makes the edit. It throws RequestError `input_invalid` unless the edit is exactly one of: append,
 * replace, rewrite.
 */
export function changeOf(label: string, edit: ModuleEdit): (core: CoreMemoryDraft) => void {
  const named = Object.keys(edit)
    .filter((name) => edit[name as keyof ModuleEdit] !== undefined)
    .sort();
  const form = named.join(" and ");
  return (core) => {
    if (form === "append" && "append" in edit) appendTo(core, label, edit.append);
    else if (form === "replace and with" && "replace" in edit)
      replaceIn(core, label, { oldContent: edit.replace, newContent: edit.with });
    else if (form === "rewrite" && "rewrite" in edit) rewrite(core, label, edit.rewrite);
    else
      throw new RequestError(
        "input_invalid",
        `Expected exactly one of \`append\`, \`replace\` with \`with\`, or \`rewrite\`, got ${form || "none"}. Nothing was changed.`,
      );
  };
}

/** Edits a module. Returns null if the text is the same afterwards. Throws the same errors as `MemoryOperations.edit`. */
export async function editModule(
  deps: Pick<OperationDeps, "store" | "registry" | "clock">,
  agent: AgentRecord,
  wanted: SectionChange,
): Promise<EditedModule | null> {
  return againstNewest(deps, () => editOnce(deps, agent, wanted));
}

/** Makes an edit, and repeats it after a conflict. Throws RevisionConflictError after the last attempt. */
export async function againstNewest<Result>(
  { clock }: Pick<OperationDeps, "clock">,
  edit: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await edit();
    } catch (error) {
      if (!(error instanceof RevisionConflictError) || attempt === maxAttempts) throw error;
      await clock.sleep(Math.random() * maxPauseMs);
    }
  }
}

/** Stores modules that the agent lacks and this user may add, as opening the agent does. Returns its core memory. */
export async function loadEditable(
  deps: Pick<OperationDeps, "store" | "registry">,
  agent: AgentRecord,
): Promise<VersionedMemory> {
  const modules = await deps.store.modules.list(agent.id);
  const complete = await completeModules(deps, { agent, modules }, freshMemory(deps, agent));
  return loadCoreMemory(deps.registry.classOf(agent.memoryType), complete);
}

async function editOnce(
  { store, registry }: Pick<OperationDeps, "store" | "registry">,
  agent: AgentRecord,
  { label, change, by }: SectionChange,
): Promise<EditedModule | null> {
  const core = await loadEditable({ store, registry }, agent);
  const draft = core.memory.draft();
  change(draft);
  // Refuses changes of skills: a model may control the program, and a model must have the user's approval.
  if (by !== undefined) requireSameSkills(core, draft);
  const [changed] = moduleChanges(core, draft);
  if (changed === undefined) return null;
  await store.modules.change(
    agent.id,
    withTrust(core, [changed], () => by?.trust ?? "user"),
    causeOfWriter(by),
  );
  const { before, after, revision } = changed;
  return { label, revision: revision + 1, before, after, limit: draft.module(label).limit };
}
