// Reads what opening an agent in a conversation needs.
import { storableText } from "../../base/code-points.ts";
import { parseAgentName } from "../port/agent-name.ts";
import type { OpeningRecord, OpeningRequest, OpeningStore } from "../port/opening-store.ts";
import type { ThreadRecord } from "../port/records.ts";
import type { SearchableMemory } from "../port/searchable-memory.ts";
import type { UsageSample } from "../../base/message/message.ts";
import { type AgentColumns, agentOfColumns } from "../agents/agent-rows.ts";
import { type ModuleRow, moduleOfRow } from "../agents/module-rows.ts";
import { attachedToolOfRow, type AttachedToolRow } from "../agents/stored-tool-rows.ts";
import type { UserContext } from "../connection/database.ts";
import { readOpening } from "../sql/read-opening.ts";
import { readSearchable } from "../sql/searchable.ts";
import { isUuid } from "../uuid.ts";
import { type ConversationRow, conversationOfRow } from "./conversation-rows.ts";
import { threadOfRow, type WindowRow } from "./window-rows.ts";

interface OpeningRow extends AgentColumns {
  readonly conversation: (ConversationRow & WindowRow) | null;
  readonly modules: readonly ModuleRow[];
  readonly searchable: SearchableMemory;
  readonly samples: readonly UsageSample[];
  readonly tools: readonly AttachedToolRow[];
  readonly hasFiles: boolean;
  readonly forgettingWaits: boolean;
}

const emptyThread: ThreadRecord = { messages: [], compactions: [], snapshot: null, windowVersion: 0 };

export function createOpeningStore({ userId, statement }: UserContext): OpeningStore {
  return {
    async read(request) {
      const [row] = await statement<OpeningRow>(readOpening, parametersOf(userId, request));
      return row === undefined ? null : openingOfRow(row, userId);
    },
    async searchable(agentId, conversationId) {
      const [row] = await statement<Pick<OpeningRow, "searchable">>(readSearchable, [userId, agentId, conversationId]);
      return row!.searchable;
    },
  };
}

function parametersOf(userId: string, { agent, conversation, maxSamples }: OpeningRequest) {
  const { owner, name } = parseAgentName(storableText(agent));
  const conversationId = typeof conversation === "string" ? null : conversation.id;
  // An id that is not a UUID is no conversation's.
  const readsNone = conversation === "new" || (conversationId !== null && !isUuid(conversationId));
  return [
    userId,
    owner ?? userId,
    name,
    isUuid(agent) ? agent : null,
    readsNone ? null : conversationId,
    readsNone,
    maxSamples,
  ];
}

function openingOfRow(row: OpeningRow, userId: string): OpeningRecord {
  const { conversation, modules, searchable, samples, tools, hasFiles, forgettingWaits } = row;
  return {
    agent: agentOfColumns(row, userId),
    conversation: conversation === null ? null : conversationOfRow(conversation),
    thread: conversation === null ? emptyThread : threadOfRow(conversation),
    modules: modules.map(moduleOfRow),
    searchable,
    samples: samples.toReversed(),
    tools: tools.map(attachedToolOfRow),
    hasFiles,
    forgettingWaits,
  };
}
