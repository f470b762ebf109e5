// The part of the store's port that reads all data needed to open an agent in a conversation.
// Invariant: the data of an opening is read in one round trip, and shows the database at one moment.
import type { UsageSample } from "../../base/message/message.ts";
import type { AgentRecord, ConversationRecord, ModuleRecord, ThreadRecord } from "./records.ts";
import type { SearchableMemory } from "./searchable-memory.ts";
import type { AttachedTool } from "./stored-tool-store.ts";

export interface OpeningRequest {
  /** A name or an id, as in `AgentStore.find`. */
  readonly agent: string;
  /** `last`: the most recently used conversation. `new`: no conversation is read. */
  readonly conversation: "last" | "new" | { readonly id: string };
  /** Maximum number of usage samples. */
  readonly maxSamples: number;
}

/** The stored data from which the session of a conversation is loaded. */
export interface LoadedConversation {
  readonly thread: ThreadRecord;
  readonly modules: readonly ModuleRecord[];
  readonly searchable: SearchableMemory;
}

export interface OpeningRecord extends LoadedConversation {
  readonly agent: AgentRecord;
  /** The conversation; null, with an empty thread, if the agent has no such conversation with this user. */
  readonly conversation: ConversationRecord | null;
  /** Usage samples of the agent's model, as `StepStore.usageSamples` returns them. */
  readonly samples: readonly UsageSample[];
  /** The stored tools that this user has attached to the agent. */
  readonly tools: readonly AttachedTool[];
  /** Whether a source with files is attached to the agent. */
  readonly hasFiles: boolean;
  /** Whether a forgetting was deferred to a turn's end and is not applied yet, for example because the process was killed. */
  readonly forgettingWaits: boolean;
  /** A text that is different after any change of the agent's row, its tools, `hasFiles` or `forgettingWaits`. */
  readonly version: string;
}

export interface OpeningStore {
  /** Returns the data for opening the agent; null if there is no such agent, or if the user may not use it. */
  read(request: OpeningRequest): Promise<OpeningRecord | null>;
  /** Returns what searches in an open conversation can find; zero counts for an agent that the user may not read. */
  searchable(agentId: string, conversationId: string): Promise<SearchableMemory>;
}
