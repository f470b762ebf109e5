// SQL for a version of the rows from which an agent was opened, except its conversation and core memory: a text to compare.
// Invariant: the text changes with every committed change of a row that it covers, because each change gives the row another
// `xmin` (PostgreSQL's id of the transaction that wrote it).

/**
 * SQL: a text that changes with the agent's row, the tools that user $1 has attached to it, whether one of its sources
 * has files, and whether a forgetting waits. `agent`: the agent's id. `row`: the `xmin` of its row.
 */
export function openedVersion(agent: string, row: string): string {
  return `concat_ws(' ', ${row}::text,
    (
      select string_agg(l.xmin::text || '.' || t.xmin::text, ',' order by t.id)
      from agent_tools l join stored_tools t on t.user_id = l.user_id and t.id = l.tool_id
      where l.user_id = $1 and l.agent_id = ${agent}
    ),
    ${hasFiles(agent)}, ${forgettingWaits})`;
}

/** SQL: whether a source with files is attached to the agent of user $1. */
export const hasFiles = (agent: string): string => `exists (
    select from agent_sources x join source_files f on f.user_id = x.user_id and f.source_id = x.source_id and f.passages > 0
    where x.user_id = $1 and x.agent_id = ${agent}
  )`;

/** SQL: whether user $1 has a key with this id that is not revoked. */
export const isValidKey = (id: string): string =>
  `exists (select from keys k where k.user_id = $1 and k.id = ${id} and k.revoked_at is null)`;

/** SQL: whether a forgetting of user $1 waits for the end of its turn. */
export const forgettingWaits = "exists (select from forgettings f where f.user_id = $1 and f.applied_at is null)";
