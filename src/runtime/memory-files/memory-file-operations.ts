// Lists and writes memory as files, and runs commands of a memory tool on them.
// Invariant: a write names the version of the file that it is based on, so it overwrites no other change. A command that
// conflicts with another writer or a forgetting is repeated on the newest files.
import { appendAll } from "../../base/lists.ts";
import { RequestError, RevisionConflictError, ToolError } from "../../base/errors.ts";
import { sha256Of } from "../../base/ids.ts";
import { createArchivalDraft } from "../../memory/archival/archival-draft.ts";
import { runMemoryCommand } from "../../memory/as-files/memory-commands.ts";
import {
  findFile,
  type FileMemory,
  isOnlyInArchive,
  labelOfPath,
  putFile,
  retireFile,
  type StoredFile,
} from "../../memory/as-files/memory-files.ts";
import { createPaths, deletedMark, isPath, modulePath, otherTags } from "../../memory/as-files/memory-paths.ts";
import { skillOfLabel } from "../../base/module-label.ts";
import { readSkill, requireSkill, skillOfPath } from "../../memory/core/skill.ts";
import {
  moduleChanges,
  newSkills,
  requireSameSkills,
  type VersionedMemory,
  withTrust,
} from "../../memory/core/versioned-memory.ts";
import type { Writer } from "../../memory/writer.ts";
import type { PassagePart, PassageRecord } from "../../store/port/passage-store.ts";
import type { AgentRecord, ModuleRecord } from "../../store/port/records.ts";
import { findAgent, findReadable } from "../agents/find-agent.ts";
import { againstNewest, causeOfWriter, loadEditable } from "../memory/edit-module.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { evictPassages } from "../retention/retention-operations.ts";
import type { MemoryFile, MemoryFileOperations, WrittenFile } from "./contract.ts";
import { changesOf } from "./file-history.ts";

type Deps = Pick<OperationDeps, "store" | "registry" | "defaults" | "memories" | "ids" | "clock" | "log">;

/** The writer of a command without `by`. It may be a model of any program, so its texts get the trust `external`. */
const toolProgram: Writer = { client: "memory tool", trust: "external" };

export function createMemoryFileOperations(deps: Deps): MemoryFileOperations {
  const { store } = deps;
  return {
    async list(name) {
      const { id } = await findReadable(deps, name);
      return filesOf(deps, id);
    },

    async history(name, { since } = {}) {
      const agent = await findAgent(deps, name);
      const revisions = await store.modules.revisions(agent.id, { limit: maxRevisions, since });
      const modules = await store.modules.list(agent.id);
      const changes = changesOf({ agent, modules, revisions, passages: await passagesOf(deps, agent.id, { since }) });
      return since === undefined ? changes : changes.filter(({ at }) => at >= since);
    },

    async write(name, path, { text, version }, { by } = {}) {
      if (!isPath(path)) throw new RequestError("input_invalid", `Expected a relative path of a file, got "${path}".`);
      const skill = skillOfLabel(skillOfPath(path) ?? "");
      if (skill !== null && text !== null) requireSkill(skill, text);
      const agent = await findAgent(deps, name);
      const draft = await draftOf(deps, agent, by);
      await writeFile(draft, { path, text, version });
      await commit(deps, agent, draft, by);
      return (await newest(deps, agent, path, draft)) ?? { path: null, version: null };
    },

    async command(name, command, { by = toolProgram } = {}) {
      const agent = await findAgent(deps, name);
      return againstNewest(deps, async () => {
        const draft = await draftOf(deps, agent, by);
        try {
          const text = await runMemoryCommand(draft, command);
          requireSameSkills(draft.before, draft.core);
          await commit(deps, agent, draft, by);
          return { text, isError: false };
        } catch (error) {
          if (!(error instanceof ToolError) || error instanceof RevisionConflictError) throw error;
          return { text: error.message, isError: true };
        }
      });
    },
  };
}

const maxRevisions = 1_000_000;
const batchSize = 500;

async function passagesOf(
  { store }: Pick<Deps, "store">,
  agentId: string,
  part: PassagePart,
): Promise<readonly PassageRecord[]> {
  const passages: PassageRecord[] = [];
  for (let last: string | null = null; ; last = passages.at(-1)?.id ?? null) {
    const batch = await store.passages.after(agentId, last, batchSize, part);
    appendAll(passages, batch);
    // The newest passage comes first, as in searches: if several passages have one path, the newest keeps it.
    if (batch.length < batchSize) return passages.toSorted((one, other) => rank(other).localeCompare(rank(one), "en"));
  }
}

function rank({ at, id }: PassageRecord): string {
  return `${String(at.getTime()).padStart(16, "0")} ${id}`;
}

async function filesOf(deps: Deps, agentId: string): Promise<readonly MemoryFile[]> {
  const modules = await deps.store.modules.list(agentId);
  const fileOf = createPaths(modules.map(({ label }) => label));
  const current = await passagesOf(deps, agentId, { isCurrent: true });
  const files: readonly MemoryFile[] = [
    ...modules.filter(isFile).map(({ id, label, value, revision, description, readOnly, trust }) => ({
      path: modulePath(label),
      ...(skillOfLabel(label) === null
        ? ({ kind: "module", description } as const)
        : ({ kind: "skill", description: readSkill(value).description } as const)),
      text: value,
      version: moduleVersion(id, revision),
      tags: [],
      readOnly,
      trust,
      at: null,
    })),
    ...current.map((passage) => {
      const { path, text, isNamed } = fileOf(passage);
      const { id, trust, at, tags } = passage;
      const kind = isNamed ? "file" : "passage";
      return {
        path,
        kind,
        text,
        version: passageVersion(id, text),
        description: null,
        tags: otherTags(tags),
        readOnly: false,
        trust,
        at,
      } as const;
    }),
  ];
  return files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** Returns whether a module has a file: an empty skill has no file. */
function isFile({ label, value }: Pick<ModuleRecord, "label" | "value">): boolean {
  return value !== "" || skillOfLabel(label) === null;
}

/** Drafts of core memory and the archive, and core memory before the change. */
interface MemoryDraft extends FileMemory {
  readonly agentName: string;
  readonly before: VersionedMemory;
  readonly core: VersionedMemory["memory"];
  readonly archival: ReturnType<typeof createArchivalDraft>;
  /** Number of forgettings that had been applied before anything was read. */
  readonly forgettings: number;
}

async function draftOf(deps: Deps, agent: AgentRecord, by: Writer | undefined): Promise<MemoryDraft> {
  const forgettings = await deps.store.forgetting.count();
  const before = await loadEditable(deps, agent);
  const { timeZone } = agent.settings;
  const options = { ids: deps.ids, now: () => deps.clock.now(), classOf: () => by?.trust ?? "user", timeZone };
  const archival = createArchivalDraft(deps.memories.archiveOf(agent), options);
  return { agentName: agent.name, before, core: before.memory.draft(), archival, forgettings };
}

/** Writes or removes a file in the draft. Throws RevisionConflictError, and RequestError `input_invalid`. */
async function writeFile(
  draft: MemoryDraft,
  { path, text, version }: { readonly path: string; readonly text: string | null; readonly version: string | null },
): Promise<void> {
  const label = labelOfPath(draft.core, path);
  const file = await findFile(draft, path);
  const known = label === null ? versionOf(file) : versionOfModule(draft.before, label);
  if (known !== version) throw new RevisionConflictError(path);
  if (text === null) await removeFile(draft, label, file);
  else await putFile(draft, path, text, file);
}

/** Returns the version of a passage's file; null if there is no passage. */
function versionOf(file: StoredFile | null): string | null {
  return file === null || file.passage === null ? null : passageVersion(file.passage.id, file.text);
}

/** Returns the passage's id with a part of the hash of the file's text: forgetting changes the text of a passage, not its id. */
function passageVersion(id: string, text: string): string {
  return `${id}.${sha256Of(text).slice(0, 12)}`;
}

/** Returns the revision with the end of the module's id, because another module can get the label and the path. */
function moduleVersion(id: string, revision: number): string {
  return `${revision}.${id.slice(-8)}`;
}

/** Returns the version of a module's file; null for a skill that does not exist. */
function versionOfModule({ memory, revisions, versions }: VersionedMemory, label: string): string | null {
  const isMissing = skillOfLabel(label) !== null && !memory.skills.some((skill) => skill.label === label);
  return isMissing ? null : moduleVersion(versions.get(label)?.id ?? "", revisions.get(label) ?? 0);
}

async function removeFile(draft: MemoryDraft, label: string | null, file: StoredFile | null): Promise<void> {
  if (label !== null && skillOfLabel(label) !== null) return draft.core.edit(label, () => "");
  if (label !== null)
    throw new RequestError(
      "input_invalid",
      `Expected a text for the module "${label}", got none: modules are not removed as files.`,
    );
  if (file === null) return;
  if (file.passage !== null && isOnlyInArchive(file)) {
    const { id } = file.passage;
    throw new RequestError(
      "input_invalid",
      `Expected a text for ${file.path}, got none: this memory file cannot be removed. \`runtime.archival.delete("${draft.agentName}", "${id}")\` deletes the passage.`,
    );
  }
  await retireFile(draft, file);
}

/** Stores the draft: passages first, so that no text is missing while the other changes are made. */
async function commit(deps: Deps, agent: AgentRecord, draft: MemoryDraft, by: Writer | undefined): Promise<void> {
  const { store, memories } = deps;
  const cause = causeOfWriter(by);
  const { trust = "user" } = cause;
  for (const passage of draft.archival.inserted)
    await store.passages.replace(
      agent.id,
      { ...passage, trust },
      { origin: cause.origin, forgettings: draft.forgettings },
    );
  const changes = moduleChanges(draft.before, draft.core);
  const added = newSkills(draft.before.revisions, changes);
  if (added.length > 0) await store.modules.addMissing(agent.id, added);
  if (changes.length > 0)
    await store.modules.change(
      agent.id,
      withTrust(draft.before, changes, () => trust),
      cause,
    );
  if (draft.archival.inserted.length === 0) return;
  memories.archiveOf(agent).embedPending();
  await evictPassages(deps, agent);
}

/** Returns the file after the change; null if the file was removed. */
async function newest(
  deps: Deps,
  agent: AgentRecord,
  path: string,
  { before, core, archival }: MemoryDraft,
): Promise<WrittenFile | null> {
  const label = labelOfPath(core, path);
  if (label !== null) {
    if (!isFile({ label, value: core.read(label) })) return null;
    const revision = (before.revisions.get(label) ?? 0) + moduleChanges(before, core).length;
    // The id of a new skill is read now, because the change has created it.
    const known =
      before.versions.get(label) ?? (await deps.store.modules.list(agent.id)).find((one) => one.label === label);
    return { path, version: moduleVersion(known?.id ?? "", revision) };
  }
  const [passage] = archival.inserted;
  if (passage === undefined) return null;
  const id = await deps.store.passages.idOf(agent.id, passage.text);
  if (id === null || passage.tags.includes(deletedMark)) return null;
  const made = createPaths(core.labels())({ ...passage, id });
  return { path: made.path, version: passageVersion(id, made.text) };
}
