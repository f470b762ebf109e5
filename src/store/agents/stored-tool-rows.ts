// SQL and rows of stored tools.
// Invariant: a row has the fields of its record, `StoredTool`.
import { recordColumns } from "../own-rows.ts";
import type { AttachedTool } from "../port/stored-tool-store.ts";
import { storedTools } from "../schema.ts";
import { datedRow } from "../stored-values.ts";

/** SQL: the columns of a stored tool's row `t`. */
export const storedToolColumns = `${recordColumns(storedTools, "t", "serverId definition")},
  case when t.kind = 'mcp' then jsonb_build_object('serverId', t.server_id) || t.definition::jsonb end as served`;

/**
 * Returns SQL that selects the tools of an agent, or of several agents. `user` and `agent`: SQL expressions; `agent` may
 * also be a query. `more`: further columns, starting with a comma.
 */
export function toolsOfAgent(user: string, agent: string, more = ""): string {
  return `
    select ${storedToolColumns}, l.requires_approval as "agentRequiresApproval"${more}
    from agent_tools l
    join stored_tools t on t.user_id = l.user_id and t.id = l.tool_id
    where l.user_id = ${user} and l.agent_id in (${agent})
    order by l.created_at, t.id`;
}

/** Returns a row of `toolsOfAgent` that was read as JSON, with its times as Dates. */
export function toolOfJson(row: AttachedTool): AttachedTool {
  return datedRow(row, ["createdAt", "updatedAt"]);
}
