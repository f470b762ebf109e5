// Passages that an embedder has not been asked about yet, counted by agent.

/** $1 user, $2 embedder. Only agents that have any. */
export const countWithoutVector = `
select p.agent_id as "agentId", count(*)::int as passages
from passages p
where p.user_id = $1
  and not exists (select from passages_512 v where v.user_id = $1 and v.passage_id = p.id and v.embedder = $2)
group by p.agent_id
order by p.agent_id`;
