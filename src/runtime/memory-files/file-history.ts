// Computes the history of memory as files, from revisions of modules and from passages that replaced each other.
// Invariant: pure; all changes of the history, applied in their order, result in the current files.
import { createPaths, modulePath } from "../../memory/as-files/memory-paths.ts";
import { skillOfLabel } from "../../base/module-label.ts";
import type { PassageRecord } from "../../store/port/passage-store.ts";
import type { AgentRecord, ModuleRecord, RevisionRecord } from "../../store/port/records.ts";
import type { MemoryFileChange } from "./contract.ts";

export interface StoredHistory {
  readonly agent: Pick<AgentRecord, "createdAt">;
  readonly modules: readonly Pick<ModuleRecord, "id" | "label" | "value">[];
  /** Newest first. */
  readonly revisions: readonly RevisionRecord[];
  /** Newest first. */
  readonly passages: readonly PassageRecord[];
}

export function changesOf({ agent, modules, revisions, passages }: StoredHistory): readonly MemoryFileChange[] {
  const edits = revisions.toReversed();
  const begun = modules
    .map((module) => beginningOf(module, edits, agent.createdAt))
    .filter(({ text }) => text !== null);
  const changes = [...begun, ...edits.map(changeOfRevision), ...changesOfPassages(modules, passages)];
  return changes.toSorted((one, other) => one.at.getTime() - other.at.getTime());
}

/** Returns the change that begins the history of a module: its text before its first stored revision. */
function beginningOf(
  { id, label, value }: StoredHistory["modules"][number],
  edits: readonly RevisionRecord[],
  createdAt: Date,
): MemoryFileChange {
  const first = edits.find(({ moduleId }) => moduleId === id);
  const at = first === undefined || first.at > createdAt ? createdAt : first.at;
  const revision = (first?.revision ?? 1) - 1;
  const reason = `${modulePath(label)} at revision ${revision}`;
  const text = shownText(label, first?.before ?? value);
  return { id: `${id}:${revision}`, path: modulePath(label), text, at, by: "user", reason };
}

function changeOfRevision(edit: RevisionRecord): MemoryFileChange {
  const { moduleId, label, revision, after, at, origin, client, toolName, undoes } = edit;
  const path = modulePath(label);
  const did = undoes === null ? "" : `, undoes revision ${undoes}`;
  const facts = [
    ["Tool", toolName],
    ["Trust", edit.trust],
    ["Conversation", edit.conversationId],
    ["Message", edit.messageId],
    ["Call", edit.callId],
  ].flatMap(([name, fact]) => (fact === null ? [] : [`${name}: ${fact}`]));
  const reason = [`${path} at revision ${revision}${did}`, "", ...facts].join("\n");
  return { id: `${moduleId}:${revision}`, path, text: shownText(label, after), at, by: client ?? origin, reason };
}

/** Returns the text of a module's file; null for an empty skill, which has no file. */
function shownText(label: string, text: string): string | null {
  return text === "" && skillOfLabel(label) !== null ? null : text;
}

function changesOfPassages(
  modules: StoredHistory["modules"],
  passages: readonly PassageRecord[],
): readonly MemoryFileChange[] {
  const ofCurrent = createPaths(modules.map(({ label }) => label));
  const ofReplaced = createPaths(modules.map(({ label }) => label));
  const byId = new Map(passages.map((passage) => [passage.id, passage]));
  const fileOf = (passage: PassageRecord) =>
    (passage.replacedBy === undefined ? ofCurrent : replacedPath(ofReplaced))(passage);
  const files = new Map(passages.map((passage) => [passage.id, fileOf(passage)]));
  return passages.toReversed().flatMap((passage) => {
    const { id, at, origin, trust, replacedBy } = passage;
    const { path, text } = files.get(id)!;
    const facts = [`Trust: ${trust}`, ...(passage.tags.length === 0 ? [] : [`Tags: ${passage.tags.join(", ")}`])];
    const reason = [`${path} added`, "", ...facts].join("\n");
    const added = { id, path, text, at, by: origin, reason };
    const replacement = replacedBy === undefined ? undefined : byId.get(replacedBy);
    if (replacement === undefined || files.get(replacement.id)?.path === path) return [added];
    const removed = {
      id: `${id}:replaced`,
      path,
      text: null,
      at: at > replacement.at ? at : replacement.at,
      by: replacement.origin,
    };
    return [added, { ...removed, reason: `${path} replaced by ${files.get(replacement.id)?.path}` }];
  });
}

/** Returns a function that gives a replaced passage its file's path, even if another version of the file has that path. */
function replacedPath(fileOf: ReturnType<typeof createPaths>): ReturnType<typeof createPaths> {
  return (passage) => {
    const file = fileOf(passage);
    const tag = passage.tags?.find((one) => one.startsWith("file:"));
    return file.isNamed && tag !== undefined ? { ...file, path: tag.slice("file:".length) } : file;
  };
}
