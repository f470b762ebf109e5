// Reads in one statement all data that is needed to open an agent in a conversation.
// Invariant: the statement returns a row exactly if the user may use the agent.
import { agentColumns, agentOfRow, type AgentRow } from "../agents/agent-rows.ts";
import { moduleOfRow, type ModuleRow, modulesOf } from "../agents/module-rows.ts";
import { toolOfJson, toolsOfAgent } from "../agents/stored-tool-rows.ts";
import type { UserContext } from "../connection/database.ts";
import { parseAgentName } from "../port/agent-name.ts";
import type { OpeningRecord, OpeningRequest, OpeningStore } from "../port/opening-store.ts";
import type { ConversationRecord, ThreadRecord } from "../port/records.ts";
import { usageSamplesOf } from "../turns/step-store.ts";
import { isUuid } from "../stored-values.ts";
import {
  conversationColumns,
  conversationOfJson,
  threadOfRow,
  windowColumns,
  type WindowRow,
} from "./conversation-rows.ts";
import { compactionChain } from "../sql/compaction-chain.ts";
import { forgettingWaits, hasFiles, openedVersion } from "../sql/opened-version.ts";

interface OpeningRow extends AgentRow, Omit<OpeningRecord, "agent" | "conversation" | "thread" | "modules"> {
  readonly conversation: (ConversationRecord & WindowRow) | null;
  readonly modules: readonly ModuleRow[];
}

const emptyThread: ThreadRecord = { messages: [], compactions: [], snapshot: null, windowVersion: 0 };

export function createOpeningStore({ userId, statement }: UserContext): OpeningStore {
  return {
    async read(request) {
      const [row] = await statement<OpeningRow>(readOpening, parametersOf(userId, request));
      return row === undefined ? null : openingOfRow(row, userId);
    },
    async searchable(agentId, conversationId) {
      const read = "select searchable_memory($1, $2::uuid, $3::uuid, null) as searchable";
      const [row] = await statement<Pick<OpeningRow, "searchable">>(read, [userId, agentId, conversationId]);
      return row!.searchable;
    },
  };
}

function parametersOf(userId: string, { agent, conversation, maxSamples }: OpeningRequest) {
  const { owner, name } = parseAgentName(agent);
  const conversationId = typeof conversation === "string" ? null : conversation.id;
  const id = isUuid(agent) ? agent : null;
  return [userId, owner ?? userId, name, id, conversationId, conversation === "new", maxSamples];
}

function openingOfRow(row: OpeningRow, userId: string): OpeningRecord {
  const {
    conversation,
    modules,
    searchable,
    samples,
    tools,
    hasFiles: files,
    forgettingWaits: waits,
    version,
    ...agent
  } = row;
  return {
    agent: agentOfRow(agent, userId),
    ...(conversation === null ? { conversation, thread: emptyThread } : openedOf(conversation)),
    modules: modules.map(moduleOfRow),
    searchable,
    samples: samples.toReversed(),
    tools: tools.map(toolOfJson),
    hasFiles: files,
    forgettingWaits: waits,
    version,
  };
}

function openedOf({ windowVersion, snapshot, compactions, messages, ...conversation }: ConversationRecord & WindowRow) {
  const thread = threadOfRow({ windowVersion, snapshot, compactions, messages });
  return { conversation: conversationOfJson(conversation), thread };
}

/**
 * $1 user, $2 the agent's owner and $3 its name, $4 its id or null, $5 the conversation or null for the most recently
 * used, $6 whether to read no conversation, $7 maximum usage samples. If several agents match, the user's own is read.
 */
const readOpening = `
with recursive opened as (
  select a.*, a.xmin as row_version
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
    from (select ${conversationColumns}, ${windowColumns} from located v) w
  ) as conversation,
  (select coalesce(json_agg(m), '[]') from (${modulesOf("a.id")}) m) as modules,
  searchable_memory($1, a.id, (select id from located), null) as searchable,
  (select coalesce(json_agg(s), '[]') from (${usageSamplesOf("a.model", "$7::int")}) s) as samples,
  (select coalesce(json_agg(t), '[]') from (${toolsOfAgent("$1", "a.id")}) t) as tools,
  ${hasFiles("a.id")} as "hasFiles", ${forgettingWaits} as "forgettingWaits",
  ${openedVersion("a.id", "a.row_version")} as version
from opened a`;
