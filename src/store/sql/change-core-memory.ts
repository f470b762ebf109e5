// Changes modules outside a turn, for a person or the API.
import { changeModules } from "./change-modules.ts";

/** $1 user, $2 agent, $3 changes, $4 cause, both JSON. Rows: the labels that were changed. */
export const changeCoreMemory = `
with target as (select $2::uuid as agent_id), ${changeModules("target", "$3::text::jsonb", "$4::text::jsonb")}
select label from edited`;
