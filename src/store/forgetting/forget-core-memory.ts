// Forgets in the sections of core memory and in all their revisions.
// Invariant: a section still equals the fold of its revisions. A section of which anything changed gets a new revision, so
// that an edit that was made from the old text is refused; that revision is no edit that could be undone.
import type { ForgettingOrigin, ForgottenPlace } from "../../memory/forgetting-store.ts";
import { redactJsonText } from "../../message/forget-content.ts";
import { type ForgettingWork, lockFor } from "./forgetting-work.ts";

export interface ForgottenSections {
  readonly places: readonly ForgottenPlace[];
  /** The agents of changed sections. */
  readonly agentIds: readonly string[];
}

interface ModuleRow {
  readonly agent_id: string;
  readonly label: string;
  readonly value: string;
  readonly revision: number;
}

interface RevisionRow {
  readonly revision: number;
  readonly before: string;
  readonly after: string;
}

const ofModule = "user_id = $1 and agent_id = $2::uuid and label = $3";

const changeRevision = `update revisions set before = $5, after = $6 where ${ofModule} and revision = $4::int`;

const changeModule = `
with changed as (
  update modules set value = $4, revision = revision + 1, updated_at = now() where ${ofModule}
  returning user_id, agent_id, label, revision, value, trust
)
insert into revisions (user_id, agent_id, label, revision, before, after, origin, tool_name, undoes, trust)
select user_id, agent_id, label, revision, value, value, $5, 'forget', revision, trust from changed`;

export async function forgetSections(work: ForgettingWork, origin: ForgettingOrigin): Promise<ForgottenSections> {
  const { tx, userId } = work;
  const modules = await tx.run<ModuleRow>(
    `select agent_id, label, value, revision from modules where user_id = $1 order by agent_id, label ${lockFor(work)}`,
    [userId],
  );
  const places: ForgottenPlace[] = [];
  const agentIds = new Set<string>();
  for (const module of modules) {
    const found = await forgetSection(work, module, origin);
    if (found.length > 0) agentIds.add(module.agent_id);
    places.push(...found);
  }
  return { places, agentIds: [...agentIds] };
}

async function forgetSection(
  work: ForgettingWork,
  module: ModuleRow,
  origin: ForgettingOrigin,
): Promise<readonly ForgottenPlace[]> {
  const { tx, userId, redactor, writes } = work;
  const { agent_id: agentId, label } = module;
  const places = await forgetRevisions(work, module);
  const value = redactJsonText(module.value, redactor);
  if (value !== module.value)
    places.unshift({ kind: "section", id: label, excerpt: redactor.excerpt(module.value), effect: "redacted" });
  if (writes && places.length > 0) await tx.run(changeModule, [userId, agentId, label, value, origin]);
  return places;
}

async function forgetRevisions(
  work: ForgettingWork,
  { agent_id: agentId, label }: ModuleRow,
): Promise<ForgottenPlace[]> {
  const { tx, userId, redactor, writes } = work;
  const key = [userId, agentId, label];
  const rows = await tx.run<RevisionRow>(
    `select revision, before, after from revisions where ${ofModule} order by revision`,
    key,
  );
  const places: ForgottenPlace[] = [];
  for (const { revision, before, after } of rows) {
    const excerpt = redactor.excerpt(after) ?? redactor.excerpt(before);
    if (excerpt === null) continue;
    places.push({ kind: "revision", id: `${label} ${revision}`, excerpt, effect: "redacted" });
    const redacted = [redactJsonText(before, redactor), redactJsonText(after, redactor)];
    if (writes) await tx.run(changeRevision, [...key, revision, ...redacted]);
  }
  return places;
}
