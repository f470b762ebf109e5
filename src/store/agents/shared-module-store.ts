// Stores a user's modules apart from agents: the modules, the agents that hold them, and the grants to other users.
// Invariant: the database decides what a user may do with another user's module; this file turns its refusals into errors.
// A user finds only own modules and modules with an accepted grant. A value changes together with its revision.
import { appendAll, inBatches } from "../../base/lists.ts";
import { and, asc, eq, exists, sql } from "drizzle-orm";
import { ModuleAppendOnlyError, ModuleReadOnlyError, RevisionConflictError } from "../../base/errors.ts";
import type { UserContext } from "../connection/database.ts";
import { duplicateRefusal, isRefusedWrite } from "../connection/database-error.ts";
import type { Transaction } from "../connection/transaction.ts";
import { requireUserId } from "../connection/user-id.ts";
import { createOwnRows, recordColumns } from "../own-rows.ts";
import { type Direction, inRange, rowsInRange } from "../pages.ts";
import { agentNameFor } from "../port/agent-name.ts";
import type { RevisionRecord } from "../port/records.ts";
import {
  maxModules,
  type ModuleAccess,
  type ModuleOfAgent,
  moduleUnknown,
  type SharedModule,
  type SharedModuleChange,
  type SharedModuleStore,
  tooManyModules,
} from "../port/shared-module-store.ts";
import { agentModules, moduleGrants, modules } from "../schema.ts";
import { attachModules, countHeld } from "../sql/create-agent.ts";
import { requireAgent } from "./agent-access.ts";
import { modulesOfAgents, revisionColumns } from "./module-rows.ts";

/**
 * Maximum agents whose prompts or modules one statement reads. The embedded engine has one backend, so all other users wait
 * while a statement runs.
 */
export const agentsAtOnce = 50;

export function createSharedModuleStore(context: UserContext): SharedModuleStore {
  const { userId, transaction, repeatable, statement } = context;
  const rows = createOwnRows(modules, userId);
  return {
    create: (id, module) =>
      transaction(async (tx) => {
        await rows.insert(tx, { ...module, id, trust: "user", isKept: true });
        return (await find(tx, userId, id))!;
      }).catch(throwTaken("The user has a module with this id. Omit the id, or choose another.")),
    find: (id) => repeatable((tx) => find(tx, userId, id)),
    list: ({ label, tags = [], text, agentId, ...range }) =>
      rowsInRange<SharedModule>(statement, {
        range,
        statement: listModules,
        parameters: [userId, label, tags.length === 0 ? null : tags, text, agentId],
      }),
    update: (id, change) => update(context, id, change),
    delete: (id) => transaction((tx) => rows.delete(tx, id)),
    revisions: (id, limit) => statement<RevisionRecord>(revisionsOfModule, [userId, id, limit]),
    ...holding(context),
    ...sharing(context),
  };
}

type Holding = Pick<SharedModuleStore, "ofAgents" | "holders" | "attach" | "detach">;

function holding({ userId, transaction, statement }: UserContext): Holding {
  return {
    ofAgents: async (agentIds) => {
      const rows: ModuleOfAgent[] = [];
      for (const batch of inBatches(agentIds, agentsAtOnce))
        appendAll(rows, await statement<ModuleOfAgent>(modulesOfAgents, [userId, batch]));
      return rows;
    },
    holders: async (id) => {
      type Holder = { readonly agentId: string; readonly ownerId: string; readonly name: string };
      const rows = await statement<Holder>(holdersOfModule, [userId, id]);
      return rows.map(({ agentId, ...agent }) => ({ agentId, agentName: agentNameFor(userId, agent) }));
    },
    attach: (agentId, ids) =>
      transaction(async (tx) => {
        await requireAgent(tx, userId, agentId);
        return attachAll(tx, userId, { agentId, ids });
      }).catch(
        throwTaken("The agent has a module with this label. Detach that module, or change one of the two labels."),
      ),
    detach: (agentId, id) =>
      transaction(async (tx) => {
        await requireAgent(tx, userId, agentId);
        const { agentId: holderId, moduleId } = agentModules;
        const held = and(eq(agentModules.userId, userId), eq(holderId, agentId), eq(moduleId, id));
        const isHeld = exists(tx.tables.select({ moduleId }).from(agentModules).where(held));
        // Keeps the module: without `isKept`, the database deletes a module made for an agent once no agent holds it.
        const detached = and(createOwnRows(modules, userId).is(id), isHeld);
        await tx.tables.update(modules).set({ isKept: true }).where(detached);
        return (await tx.tables.delete(agentModules).where(held).returning()).length > 0;
      }),
  };
}

/** Attaches modules in the order of `ids`. Throws RequestError `module_unknown`, or `input_invalid` for too many. */
export async function attachAll(
  tx: Transaction,
  userId: string,
  { agentId, ids }: { readonly agentId: string; readonly ids: readonly string[] },
): Promise<readonly string[]> {
  if (ids.length > maxModules) throw tooManyModules(ids.length);
  for (const id of ids) if ((await find(tx, userId, id)) === null) throw moduleUnknown();
  type Attached = { readonly module_id: string };
  const rows = await tx.run<Attached>(attachModules, [userId, agentId, [...new Set(ids)]]);
  const [{ held } = { held: 0 }] = await tx.run<{ readonly held: number }>(countHeld, [userId, agentId]);
  if (held > maxModules) throw tooManyModules(held);
  return rows.map(({ module_id: id }) => id);
}

type Sharing = Pick<SharedModuleStore, "share" | "unshare" | "recipients" | "offers" | "accept">;

function sharing({ userId, transaction, repeatable }: UserContext): Sharing {
  const { ownerId, moduleId, userId: recipientId, isAccepted, access, label, at } = moduleGrants;
  return {
    share: (id, otherId, allowed) =>
      transaction(async (tx) => {
        const call = "select share_module($1::uuid, $2, $3) as shared";
        const [row] = await tx.run<{ readonly shared: boolean }>(call, [id, requireUserId(otherId), allowed]);
        return row!.shared;
      }),
    unshare: (id, otherId) =>
      transaction(async (tx) => {
        const ended = and(eq(moduleId, id), eq(recipientId, requireUserId(otherId)));
        return (await tx.tables.delete(moduleGrants).where(ended).returning()).length > 0;
      }),
    recipients: (id) =>
      repeatable(async (tx) => {
        const shared = tx.tables.select({ userId: recipientId, access, isAccepted, at }).from(moduleGrants);
        const rows = await shared.where(and(eq(ownerId, userId), eq(moduleId, id))).orderBy(asc(recipientId));
        return rows.map(({ isAccepted: hasAccepted, ...row }) => ({
          ...row,
          state: hasAccepted ? ("accepted" as const) : ("offered" as const),
        }));
      }),
    offers: () =>
      repeatable((tx) =>
        tx.tables
          .select({ moduleId, ownerId, label, access, at })
          .from(moduleGrants)
          .where(and(eq(recipientId, userId), eq(isAccepted, false)))
          .orderBy(asc(at), asc(moduleId)),
      ),
    accept: (id) =>
      transaction(async (tx) => {
        const [row] = await tx.run<{ readonly accepted: boolean }>("select accept_module($1::uuid) as accepted", [id]);
        return row!.accepted;
      }),
  };
}

async function find(tx: Transaction, userId: string, id: string): Promise<SharedModule | null> {
  const [row] = await tx.run<SharedModule>(findModule, [userId, id]);
  return row ?? null;
}

async function update(
  { userId, transaction, repeatable }: UserContext,
  id: string,
  { revision, value, ...settings }: SharedModuleChange,
): Promise<SharedModule | null> {
  const current = await repeatable((tx) => find(tx, userId, id));
  if (current === null) return null;
  const { label, access } = current;
  const hasSettings = Object.values(settings).some((setting) => setting !== undefined);
  if (access !== "own" && hasSettings) throw new ModuleReadOnlyError(label);
  return transaction(async (tx) => {
    if (value !== undefined) {
      const changed = await tx.run(changeValue, [userId, id, revision, value]);
      if (changed.length === 0)
        throw access === "read" ? new ModuleReadOnlyError(label) : new RevisionConflictError(label);
    }
    if (hasSettings) {
      const set = { ...settings, version: sql`${modules.version} + 1`, updatedAt: sql`now()` };
      await tx.tables.update(modules).set(set).where(createOwnRows(modules, userId).is(id));
    }
    return find(tx, userId, id);
  })
    .catch((error: unknown) => {
      throw isRefusedWrite(error) ? refusal(label, access, current.readOnly) : error;
    })
    .catch(throwTaken("An agent that holds the module has another module with this label. Choose another label."));
}

function refusal(label: string, access: ModuleAccess | "own", readOnly: boolean): Error {
  return access === "append" && !readOnly ? new ModuleAppendOnlyError(label) : new ModuleReadOnlyError(label);
}

function throwTaken(message: string) {
  return duplicateRefusal("module_exists", `${message} Nothing was changed.`);
}

const columns = `${recordColumns(modules, "m", "version trust lineTrust isKept")}, m.user_id as "ownerId",
  case when m.user_id = $1 then m.trust else 'external' end as trust,
  case when m.user_id = $1 then 'own' else g.access end as access`;

/** SQL: the modules that user $1 can use. */
const usable = `modules m
left join module_grants g on g.user_id = $1 and g.owner_id = m.user_id and g.module_id = m.id and g.is_accepted
where (m.user_id = $1 or g.user_id is not null)`;

/** SQL: the owner of the module $2 that user $1 can use. If user $1 has a module with this id, the owner is user $1. */
const ownerOf = `(
  select o.user_id from (
    select m.user_id from modules m where m.user_id = $1 and m.id = $2::uuid
    union all
    select g.owner_id from module_grants g where g.user_id = $1 and g.module_id = $2::uuid and g.is_accepted
  ) o
  order by o.user_id <> $1, o.user_id
  limit 1
)`;

/** $1 user, $2 id. */
const findModule = `select ${columns} from ${usable} and m.id = $2::uuid and m.user_id = ${ownerOf}`;

/**
 * Statement for `rowsInRange`. Further parameters, where null means no filter: $5 label, $6 tags, $7 a text that the
 * label, the description or the value contains, $8 the id of an agent that holds the modules.
 */
function listModules(direction: Direction): string {
  const by = ["m.created_at", "m.id"];
  const of = (id: string) =>
    `(select c.created_at, c.id from modules c where c.id = ${id} order by c.user_id <> $1 limit 1)`;
  return `
select ${columns} from ${usable}
  and ($5::text is null or m.label = $5)
  and ($6::jsonb is null or exists (select from jsonb_array_elements_text($6::jsonb) w where m.tags::jsonb ? w))
  and ($7::text is null or position(lower($7) in lower(concat_ws(' ', m.label, m.description, m.value))) > 0)
  and ($8::uuid is null or exists (
    select from agent_modules h
    where h.user_id = $1 and h.agent_id = $8::uuid and h.owner_id = m.user_id and h.module_id = m.id
  ))
  ${inRange({ by, of, direction })}`;
}

/** $1 user, $2 id, $3 the revision that the module must have, $4 the new value. Returns a row if the module was changed. */
const changeValue = `
with old as (
  select m.user_id, m.id, m.value from modules m
  where m.id = $2::uuid and m.user_id = ${ownerOf} and m.revision = $3::int
  for update
), edited as (
  update modules m
  set value = $4, trust = case when m.user_id = $1 then 'user' else 'external' end, line_trust = null,
    revision = m.revision + 1, updated_at = now()
  from old where m.user_id = old.user_id and m.id = old.id and m.revision = $3::int
  returning m.user_id, m.id, m.revision, m.trust, old.value as before
)
insert into revisions (user_id, module_id, revision, editor_id, before, after, origin, trust)
select user_id, id, revision, $1, before, $4, 'api', trust from edited
returning revision`;

/** $1 user, $2 id, $3 maximum. */
const revisionsOfModule = `
select ${revisionColumns}
from modules m join revisions r on r.user_id = m.user_id and r.module_id = m.id
where m.id = $2::uuid and m.user_id = ${ownerOf}
order by r.revision desc
limit $3::int`;

/** $1 user, $2 id. */
const holdersOfModule = `
select h.agent_id as "agentId", a.user_id as "ownerId", a.name
from agent_modules h
join grants g on g.user_id = $1 and g.agent_id = h.agent_id
join agents a on a.user_id = g.owner_id and a.id = h.agent_id
where h.user_id = $1 and h.module_id = $2::uuid and h.owner_id = ${ownerOf}
order by a.name, h.agent_id`;
