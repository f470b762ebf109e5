// Removes forgotten texts from the modules of core memory and from all their revisions.
// Invariant: a module's value still equals the text after its newest revision. If the value or a revision of a module was
// changed, the module gets a new revision with equal texts before and after it, so edits based on the old text are refused.
import { appendAll } from "../../base/lists.ts";
import type { ForgettingOrigin, ForgottenPlace } from "../port/forgetting-store.ts";
import { redactJsonText } from "../../base/message/forget-content.ts";
import { type ForgettingWork, lockFor } from "./forgetting-work.ts";

export interface ForgottenSections {
  readonly places: readonly ForgottenPlace[];
  /** Ids of the agents that hold the changed modules. */
  readonly agentIds: readonly string[];
}

interface ModuleRow {
  readonly id: string;
  readonly holders: readonly string[];
  readonly label: string;
  readonly value: string;
}

const ofModule = (key: "id" | "module_id") => `user_id = $1 and ${key} = $2::uuid`;

const changeRevision = `update revisions set before = $4, after = $5 where ${ofModule("module_id")} and revision = $3::int`;

/** Dates the new revision by `clock_timestamp()`: while this transaction waits for locks, others can commit revisions. */
const changeModule = `
with changed as (
  update modules set value = $3, revision = revision + 1, updated_at = now() where ${ofModule("id")}
  returning user_id, id, revision, value, trust, line_trust
)
insert into revisions (user_id, module_id, revision, editor_id, before, after, origin, tool_name, trust, line_trust, created_at)
select user_id, id, revision, user_id, value, value, $4, 'forget', trust, line_trust, clock_timestamp() from changed`;

export async function forgetSections(work: ForgettingWork, origin: ForgettingOrigin): Promise<ForgottenSections> {
  const { tx, userId } = work;
  const modules = await tx.run<ModuleRow>(
    `select id, label, value, (
       select coalesce(jsonb_agg(h.agent_id), '[]') from agent_modules h
       where h.owner_id = m.user_id and h.module_id = m.id
     ) as holders
     from modules m where user_id = $1 order by id ${lockFor(work)}`,
    [userId],
  );
  const places: ForgottenPlace[] = [];
  const agentIds = new Set<string>();
  for (const module of modules) {
    const found = await forgetSection(work, module, origin);
    if (found.length > 0) for (const agentId of module.holders) agentIds.add(agentId);
    appendAll(places, found);
  }
  return { places, agentIds: [...agentIds] };
}

async function forgetSection(
  work: ForgettingWork,
  module: ModuleRow,
  origin: ForgettingOrigin,
): Promise<readonly ForgottenPlace[]> {
  const { tx, userId, redactor, writes } = work;
  const { id, label } = module;
  const places = await forgetRevisions(work, module);
  const value = redactJsonText(module.value, redactor);
  if (value !== module.value)
    places.unshift({ kind: "module", id: label, excerpt: redactor.excerpt(module.value), effect: "redacted" });
  if (writes && places.length > 0) await tx.run(changeModule, [userId, id, value, origin]);
  return places;
}

async function forgetRevisions(work: ForgettingWork, { id: moduleId, label }: ModuleRow): Promise<ForgottenPlace[]> {
  const { tx, userId, redactor, writes } = work;
  const key = [userId, moduleId];
  const rows = await tx.run<{ readonly revision: number; readonly before: string; readonly after: string }>(
    `select revision, before, after from revisions where ${ofModule("module_id")} order by revision`,
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
