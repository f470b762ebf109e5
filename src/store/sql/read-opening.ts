// Reads everything that opening an agent in a conversation needs, in one statement.
// Invariant: it returns a row exactly if the user may use the agent.
import { compactionChain } from "./compaction-chain.ts";
import { windowColumns } from "./read-window.ts";
import { searchableOf } from "./searchable.ts";
import { toolsOfAgent } from "./stored-tools.ts";
import { usageSamplesOf } from "./usage-samples.ts";
import { modulesOf } from "./visible-modules.ts";

/** Columns of an agent's row `a`, named as in its table. */
export const agentColumns = `a.id, a.user_id as "userId", a.name, a.model, a.protocol, a.memory_type as "memoryType",
  a.system_prompt as "systemPrompt", a.settings, a.description, a.tags, a.metadata, a.extensions,
  a.created_at as "createdAt"`;

/**
 * $1 user, $2 the agent's owner and $3 its name, $4 its id or null, $5 the conversation or null for the most recently
 * used, $6 whether to read no conversation, $7 maximum samples. The user's own agent has precedence.
 */
export const readOpening = `
with recursive opened as (
  select a.*
  from agents a
  where (
      (a.user_id = $2 and a.name = $3)
      or (a.id = $4::uuid and a.user_id = (select g.owner_id from grants g where g.user_id = $1 and g.agent_id = $4::uuid))
    )
    and exists (
      select from grants g
      where g.user_id = $1 and g.agent_id = a.id and g.owner_id = a.user_id and g.is_usable
    )
  order by a.user_id = $1 desc
  limit 1
), located as (
  select v.*
  from conversations v
  where v.user_id = $1 and v.agent_id = (select id from opened) and not $6::boolean
    and v.id = coalesce($5::uuid, (
      select l.id
      from conversations l
      where l.user_id = $1 and l.agent_id = (select id from opened)
      order by l.updated_at desc, l.id desc
      limit 1
    ))
), ${compactionChain("v.id = (select id from located)")}
select ${agentColumns},
  (
    select row_to_json(w)
    from (select v.id, v.agent_id, v.title, v.leaf_id, v.created_at, v.updated_at, ${windowColumns} from located v) w
  ) as conversation,
  (select coalesce(json_agg(m), '[]') from (${modulesOf("a.id")}) m) as modules,
  ${searchableOf("a.id", "(select id from located)", "null::uuid")} as searchable,
  (select coalesce(json_agg(s), '[]') from (${usageSamplesOf("a.model", "$7::int")}) s) as samples,
  (select coalesce(json_agg(t), '[]') from (${toolsOfAgent("$1", "a.id")}) t) as tools,
  exists (
    select from agent_sources x join source_files f on f.user_id = x.user_id and f.source_id = x.source_id and f.passages > 0
    where x.user_id = $1 and x.agent_id = a.id
  ) as "hasFiles",
  exists (select from forgettings f where f.user_id = $1 and f.applied_at is null) as "forgettingWaits"
from opened a`;
