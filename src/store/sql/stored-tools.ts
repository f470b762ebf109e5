// Lists stored tools: those of a user, page by page, and those of an agent.

const columns = (row: string) =>
  `${row}.id, ${row}.name, ${row}.description, ${row}.parameters, ${row}.kind, ${row}.source, ${row}.server_id,
  ${row}.definition, ${row}.result_limit, ${row}.requires_approval, ${row}.tags, ${row}.metadata, ${row}.created_at, ${row}.updated_at`;

/** SQL for the tools of an agent: expressions for the user and the agent, or for a query of several agents. */
export function toolsOfAgent(user: string, agent: string): string {
  return `
    select ${columns("t")}, l.requires_approval as agent_requires_approval, l.agent_id
    from agent_tools l
    join stored_tools t on t.user_id = l.user_id and t.id = l.tool_id
    where l.user_id = ${user} and l.agent_id in (${agent})
    order by l.created_at, t.id`;
}

/** $1 user, $2 a name and $3 an id, of which one must match. The name has precedence. */
export const findTool = `
select ${columns("t")} from stored_tools t
where t.user_id = $1 and (t.name = $2 or t.id = $3::uuid)
order by t.name = $2 desc limit 1`;

/**
 * $1 user, $2 name, $3 tags as a JSON array, $4 a text of the name or the description, $5 and $6 the ids of a newer and an
 * older tool between which the others are; $7 the id of an MCP server, $8 that of an agent; each null for all; $9 limit.
 */
export function listTools(order: "asc" | "desc"): string {
  const place = (id: string) =>
    `(select c.created_at, c.id from stored_tools c where c.user_id = $1 and c.id = ${id}::uuid)`;
  return `
select ${columns("t")} from stored_tools t
where t.user_id = $1
  and ($2::text is null or t.name = $2)
  and ($3::jsonb is null or exists (select from jsonb_array_elements_text($3::jsonb) w where t.tags::jsonb ? w))
  and ($4::text is null or position(lower($4) in lower(t.name || ' ' || t.description)) > 0)
  and ($5::uuid is null or (t.created_at, t.id) < ${place("$5")})
  and ($6::uuid is null or (t.created_at, t.id) > ${place("$6")})
  and ($7::uuid is null or t.server_id = $7::uuid)
  and ($8::uuid is null or exists (
    select from agent_tools l where l.user_id = $1 and l.agent_id = $8::uuid and l.tool_id = t.id
  ))
order by t.created_at ${order}, t.id ${order}
limit $9::int`;
}
