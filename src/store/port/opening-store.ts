// The port to everything that opening an agent in a conversation reads.
// Invariant: all parts of an opening are read at one moment, and cost one round trip.
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
  /** Samples of the agent's model, like those of `StepStore.usageSamples`. */
  readonly samples: readonly UsageSample[];
  /** The stored tools that this user has attached to the agent. */
  readonly tools: readonly AttachedTool[];
  /** Whether a source with files is attached to the agent. */
  readonly hasFiles: boolean;
  /** Whether a forgetting waits for the end of its turn; the turn's process may have been killed. */
  readonly forgettingWaits: boolean;
  /** A text that changes with the agent's row, its tools, whether it has files, and whether a forgetting waits. */
  readonly version: string;
}

export interface OpeningStore {
  /** Returns the opening; null if there is no such agent, or if the user may not use it. */
  read(request: OpeningRequest): Promise<OpeningRecord | null>;
  /** Returns what an open conversation's searches can find: nothing for an agent that the user may not read. */
  searchable(agentId: string, conversationId: string): Promise<SearchableMemory>;
}
