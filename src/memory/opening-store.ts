// The port to everything that opening an agent in a conversation reads.
// Invariant: all parts of an opening are of one moment, and reading them costs one round trip.
import type { UsageSample } from "../message/message.ts";
import type { AgentRecord, ConversationRecord, ModuleRecord, ThreadRecord } from "./records.ts";

export interface OpeningRequest {
  /** A name or an id, as in `AgentStore.find`. */
  readonly agent: string;
  /** `last`: the most recently used one. `new`: none is read. */
  readonly conversation: "last" | "new" | { readonly id: string };
  /** Maximum number of passages to count. */
  readonly maxPassages: number;
  /** Maximum number of usage samples. */
  readonly maxSamples: number;
}

/** What a session of a conversation is loaded from. */
export interface LoadedConversation {
  readonly thread: ThreadRecord;
  readonly modules: readonly ModuleRecord[];
  /** Number of passages in the agent's archive, at most the maximum of the request. */
  readonly passages: number;
}

export interface OpeningRecord extends LoadedConversation {
  readonly agent: AgentRecord;
  /** Null, with an empty thread, if the agent has no such conversation with this user. */
  readonly conversation: ConversationRecord | null;
  /** Samples of the agent's model, as from `StepStore.usageSamples`. */
  readonly samples: readonly UsageSample[];
}

export interface OpeningStore {
  /** Returns null if there is no such agent, or if the user may not use it. */
  read(request: OpeningRequest): Promise<OpeningRecord | null>;
}
