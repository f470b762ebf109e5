// Takes back changes of core memory, the last one first.
// Invariant: nothing is erased: taking back is a revision of its own, which names the one that it undoes.
import type { RevisionRecord } from "../records.ts";
import type { ModuleStore } from "../store.ts";

/** How far back a change to undo is looked for. */
const depth = 1000;

/** The revision that was taken back, or null when there is none. Throws RevisionConflictError when the module changes meanwhile. */
export async function undoLastEdit(
  modules: ModuleStore,
  agentId: string,
  label?: string,
): Promise<RevisionRecord | null> {
  const revisions = await modules.revisions(agentId, { limit: depth, ...(label === undefined ? {} : { label }) });
  const last = lastStanding(revisions);
  if (last === null) return null;
  const current = (await modules.list(agentId)).find((module) => module.label === last.label);
  if (current === undefined) return null;
  const { scope, revision, value } = current;
  const change = { label: last.label, scope, revision, before: value, after: last.before, undoes: last.revision };
  await modules.change(agentId, [change], { origin: "user" });
  return last;
}

/** The newest revision that neither was undone nor undoes another. `revisions` are newest first. */
export function lastStanding(revisions: readonly RevisionRecord[]): RevisionRecord | null {
  const undone = new Set(revisions.flatMap(({ label, undoes }) => (undoes === null ? [] : [`${label} ${undoes}`])));
  return (
    revisions.find(({ label, revision, undoes }) => undoes === null && !undone.has(`${label} ${revision}`)) ?? null
  );
}
