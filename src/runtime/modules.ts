// Operations on modules of core memory as rows of their own: several agents can hold one, and users can share one.
// Invariant: types only; each operation acts for the runtime's user only.
import type { RevisionRecord } from "../store/port/records.ts";
import type {
  ModuleAccess,
  ModuleHolder,
  ModuleOfAgent,
  ModuleOffer,
  ModuleRecipient,
  SharedModule,
  SharedModuleListRequest,
} from "../store/port/shared-module-store.ts";

export interface ModuleSettings {
  /** Letters, digits, `_` and `-`, at most 64, a letter first. Unique among the modules of each agent that holds it. */
  readonly label: string;
  /** What it is for, for the model; at most 10,000 code points. */
  readonly description?: string | null;
  /** Of the value, in code points; default 2,000. */
  readonly limit?: number;
  /** Whether agents may not edit it. Default false. */
  readonly readOnly?: boolean;
}

/** A new module, by value. */
export interface ModuleDefinition extends ModuleSettings {
  /** Default empty. */
  readonly value?: string;
}

export interface NewModuleOptions extends ModuleDefinition {
  /** A UUID; default a new one. */
  readonly id?: string;
  readonly tags?: readonly string[];
  /** A JSON object of the caller's own. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** `order`: default `newest`. `limit`: 1 to 1,000, default 100. */
export type ModuleListOptions = Partial<SharedModuleListRequest>;

/**
 * A parameter `id` is a module's id. Functions throw RequestError `module_unknown` for one that this user cannot use, and
 * `input_invalid` for an invalid option; nothing is written then. Agents see a change with the start of their next turn.
 */
export interface ModuleOperations {
  /** Creates a module that no agent holds. Throws RequestError `module_exists` for an id in use, ModuleLimitError. */
  create(module: NewModuleOptions): Promise<SharedModule>;
  /** Returns one page of the user's modules and those accepted from other users; the next is `after` the last id. */
  list(options?: ModuleListOptions): Promise<readonly SharedModule[]>;
  /** Returns a module. */
  find(id: string): Promise<SharedModule>;
  /**
   * Changes what is given; a value becomes a revision of origin `api`. Throws RequestError `module_exists` for a label that a
   * holder has, ModuleLimitError, RevisionConflictError, ModuleReadOnlyError, ModuleAppendOnlyError.
   */
  update(id: string, change: Partial<Omit<NewModuleOptions, "id">>): Promise<SharedModule>;
  /** Deletes the user's own module with its revisions, also from the agents that hold it. */
  delete(id: string): Promise<void>;
  /** Returns the modules that the agents with these ids show, at the cost of one agent in the database. */
  ofAgents(agentIds: readonly string[]): Promise<readonly ModuleOfAgent[]>;
  /** Returns the agents of this user that hold it, by name. */
  holders(id: string): Promise<readonly ModuleHolder[]>;
  /**
   * Attaches a module to an agent, after its other modules. Returns false if it was attached. Throws RequestError
   * `module_exists` if the agent has another module of this label.
   */
  attach(agent: string, id: string): Promise<boolean>;
  /** Takes a module from an agent. The module stays. Returns false if it was not attached. */
  detach(agent: string, id: string): Promise<boolean>;
  /** Offers the user's own module to another user, or changes the access of one. The result is the same for an unknown user. */
  share(id: string, userId: string, access: ModuleAccess): Promise<void>;
  /** Ends an offer or a grant, as the owner or the other user, whose agents lose the module. Returns false if there was none. */
  unshare(id: string, userId: string): Promise<boolean>;
  /** Returns the users with whom the user's own module is shared. */
  recipients(id: string): Promise<readonly ModuleRecipient[]>;
  /** Returns the modules that other users offer, oldest offer first. */
  offers(): Promise<readonly ModuleOffer[]>;
  /** Accepts an offer. Throws RequestError `offer_not_found`. */
  accept(id: string): Promise<SharedModule>;
  /** Declines an offer. Throws RequestError `offer_not_found`. */
  decline(id: string): Promise<void>;
  /** Returns revisions, newest first; of another user's module only those since it was accepted. `limit`: default 20. */
  revisions(id: string, limit?: number): Promise<readonly RevisionRecord[]>;
}
