// Returns a module's text at a revision, and the difference between two revisions.
// Invariant: read-only; a value is the stored text of that revision, never reconstructed from others.
import { form, type OptionsOf, type RecordOf } from "../../base/arguments/forms.ts";
import { ModuleNotFoundError, RequestError } from "../../base/errors.ts";
import { textTrust, trustOfBeginning } from "../trust.ts";
import type { ModuleRecord } from "../../store/port/records.ts";
import type { ModuleStore } from "../../store/port/agent-store.ts";

/** The texts of one module at two revisions. */
export const moduleDiffFields = {
  label: form.text,
  /** Revision number; 0 is the module before its first change. */
  from: form.ordinal,
  to: form.ordinal,
  before: form.text,
  after: form.text,
};

export interface ModuleDiff extends RecordOf<typeof moduleDiffFields> {}

export const diffRange = {
  /** Default: the revision before `to`. */
  from: form.ordinal,
  /** Default: the newest revision. */
  to: form.ordinal,
};

export interface DiffRange extends OptionsOf<typeof diffRange> {}

interface ModuleLocation {
  readonly agentId: string;
  readonly label: string;
}

/** Returns the module at a revision. Throws ModuleNotFoundError; RequestError `input_invalid`, `revision_not_found`. */
export async function moduleAt(modules: ModuleStore, place: ModuleLocation, revision: number): Promise<ModuleRecord> {
  const now = moduleOf(await modules.list(place.agentId), place.label);
  return { ...now, ...(await stateAt(modules, { ...place, now }, revision)), revision };
}

/**
 * Returns a module's text at two revisions. Throws the same errors as `moduleAt`. For a module without changes, both texts are
 * equal and the range is 0 to 0.
 */
export async function diffModule(modules: ModuleStore, place: ModuleLocation, range: DiffRange): Promise<ModuleDiff> {
  const now = moduleOf(await modules.list(place.agentId), place.label);
  const to = range.to ?? now.revision;
  const from = range.from ?? Math.max(0, to - 1);
  const after = await stateAt(modules, { ...place, now }, to);
  const before = await stateAt(modules, { ...place, now }, from);
  return { label: place.label, from, to, before: before.value, after: after.value };
}

/** Returns the module with this label. Throws ModuleNotFoundError. */
export function moduleOf(records: readonly ModuleRecord[], label: string): ModuleRecord {
  const found = records.find((module) => module.label === label);
  if (found !== undefined) return found;
  throw new ModuleNotFoundError(
    label,
    records.map((module) => module.label),
  );
}

async function stateAt(
  modules: ModuleStore,
  { agentId, label, now }: ModuleLocation & { readonly now: ModuleRecord },
  revision: number,
): Promise<Pick<ModuleRecord, "value" | "trust" | "lineTrust">> {
  if (revision === now.revision) return now;
  const range = { label, from: revision, through: revision + 1, limit: 2 };
  const rows = revision > now.revision ? [] : await modules.revisions(agentId, range);
  const found = rows.find((row) => row.revision === revision);
  if (found !== undefined) return { value: found.after, trust: textTrust(found), lineTrust: found.lineTrust };
  // There may be no row: revision 0 has none, retention deletes rows, and a user sees none from before accepting the module.
  // The row of the next change has the text, but not its lines' classes: the text counts as external, except at revision 0.
  const [next] = rows;
  if (next !== undefined)
    return { value: next.before, trust: revision === 0 ? trustOfBeginning(next) : "external", lineTrust: null };
  throw new RequestError(
    "revision_not_found",
    `There is no revision ${revision} of "${label}", which is at revision ${now.revision}. \`runtime.memory.revisions()\` lists the revisions.`,
  );
}
