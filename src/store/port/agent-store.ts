// The part of the store's port for agents, the users who may use them, and the modules of their core memory.
// Invariant: only the owner changes, deletes or shares an agent; other users get "not found".
import { form, type OptionsOf, type RecordOf } from "../../base/arguments/forms.ts";
import type { ListRange } from "./page.ts";
import type {
  agentFilterFields,
  AgentDetails,
  AgentRecord,
  ChangeCause,
  ModuleChange,
  ModuleRecord,
  NewModule,
  RevisionRecord,
} from "./records.ts";

/** An agent that its owner offers to another user, as the recipient sees it. */
export const agentOfferFields = {
  agentId: form.id,
  ownerId: form.id,
  /** The name that the user types: `owner/name`. */
  name: form.text,
  at: form.moment,
};

export interface OfferRecord extends RecordOf<typeof agentOfferFields> {}

/** A user other than the owner who may use an agent, or to whom the agent is offered. */
export const agentRecipientFields = {
  userId: form.id,
  state: form.choice("offered", "accepted"),
  at: form.moment,
};

export interface RecipientRecord extends RecordOf<typeof agentRecipientFields> {}

/** An agent that the user used and may no longer use. The user's data with it can be read, exported and deleted. */
export const formerAgentFields = {
  id: form.id,
  /** Null if the owner was deleted. */
  ownerId: form.nullable(form.id),
  /** The name that the user types: `owner/name`, or `/name` if the owner was deleted. */
  name: form.text,
  timeZone: form.text,
  endedAt: form.moment,
};

export interface FormerAgentRecord extends RecordOf<typeof formerAgentFields> {}

export interface NewAgent
  extends Omit<AgentRecord, "createdAt" | "ownerId" | keyof AgentDetails>,
    Partial<AgentDetails> {
  readonly modules: readonly NewModule[];
  /** Ids of existing modules to attach after the new ones. RequestError `module_unknown` is thrown for an unknown id. */
  readonly attached?: readonly string[];
}

/** Changes of an agent. An extension that is null is removed; absent extensions stay. */
export type AgentChange = Partial<Pick<AgentRecord, "name" | "model" | "systemPrompt" | "settings"> & AgentDetails>;

export interface AgentQuery extends ListRange, OptionsOf<typeof agentFilterFields> {}

export interface AgentStore {
  /** Creates an agent. Throws RequestError `agent_exists` if the user has an agent of that name or id, and `module_unknown`. */
  create(agent: NewAgent): Promise<AgentRecord>;
  /** Finds the user's own agent by name, another user's by `owner/name`, and either by id. Returns null if there is none. */
  find(nameOrId: string): Promise<AgentRecord | null>;
  /** Lists the agents that the user may use, the user's own agents first. Default: all, oldest first. */
  list(query?: AgentQuery): Promise<readonly AgentRecord[]>;
  /** Returns the names of at most 100 agents that the user may use: the user's own agents first, then the newest. */
  names(): Promise<readonly string[]>;
  /** Returns the number of agents that the user may use. */
  count(): Promise<number>;
  /** Returns the tags of the agents that the user may use, each once, sorted. */
  tags(): Promise<readonly string[]>;
  /**
   * Changes an agent, which only the owner can, and returns it. `changeOf` returns the change for the current record, which no
   * other process changes until the change is stored; if it throws, nothing is changed. It has no side effects, because it may
   * be called again. Throws RequestError `agent_not_found` and `agent_exists`.
   */
  update(agentId: string, changeOf: (current: AgentRecord) => AgentChange): Promise<AgentRecord>;
  /**
   * Deletes an agent. The owner deletes it with the owner's data; other users keep their data. A user with an ended
   * grant deletes only that user's data.
   */
  delete(agentId: string): Promise<void>;
  /** Offers the agent to another user, whether or not that user exists. Only the owner can. */
  share(agentId: string, userId: string): Promise<void>;
  /**
   * Withdraws an offer or ends a grant. The owner can do this for any user, other users for themselves. Returns false
   * if there was no offer or grant.
   */
  unshare(agentId: string, userId: string): Promise<boolean>;
  /** Returns the offers to the user, oldest first. */
  offers(): Promise<readonly OfferRecord[]>;
  /**
   * Accepts an offer. Does nothing for an agent that was already accepted. Throws RequestError `offer_not_found`, and
   * `agent_exists` if another agent of the user has the id.
   */
  accept(agentId: string): Promise<void>;
  /** Declines an offer. Throws RequestError `offer_not_found`. */
  decline(agentId: string): Promise<void>;
  /** Returns the other users who may use the agent or to whom it is offered. Only for the owner. */
  recipients(agentId: string): Promise<readonly RecipientRecord[]>;
  /** Returns the agents that the user may no longer use, most recently ended first. */
  former(): Promise<readonly FormerAgentRecord[]>;
}

export interface ModuleStore {
  /** Returns the modules that the user sees in the agent, in their order in the prompt. */
  list(agentId: string): Promise<readonly ModuleRecord[]>;
  /**
   * Adds the modules that are missing, and leaves existing ones unchanged. Modules of scope `agent` are added only if the
   * user owns the agent.
   */
  addMissing(agentId: string, modules: readonly NewModule[]): Promise<void>;
  /**
   * Applies all changes in order, or none. The second of two changes of a module must name the revision that the first
   * one makes. Throws RevisionConflictError, and ModuleReadOnlyError for an agent module of another owner.
   */
  change(agentId: string, changes: readonly ModuleChange[], cause: ChangeCause): Promise<void>;
  /** Returns the revisions of the user's modules and, for the owner, of the agent's modules; newest first. */
  revisions(agentId: string, options: RevisionQuery): Promise<readonly RevisionRecord[]>;
  /**
   * Returns the revisions that tool calls of these messages made. For each module with such revisions, includes the
   * revision before the first of them, and all later ones. Newest first.
   */
  madeBy(agentId: string, messageIds: readonly string[]): Promise<readonly RevisionRecord[]>;
}

export interface RevisionQuery {
  readonly label?: string;
  /** Only revisions with this number or higher. */
  readonly from?: number;
  /** Only revisions with this number or lower. */
  readonly through?: number;
  /** Only revisions of this time or later. */
  readonly since?: Date | undefined;
  readonly limit: number;
}
