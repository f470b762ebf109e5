// The part of the store's port for modules that exist independently of an agent: their holders, and their grants to
// other users.
// Invariant: a module belongs to one user; other users read or change it only under grants that they have accepted.
import { form, type OptionsOf, type RecordOf } from "../../base/arguments/forms.ts";
import { RequestError } from "../../base/errors.ts";
import type { ListRange } from "./page.ts";
import { type RevisionRecord, trustForm } from "./records.ts";

/** What another user may do with a shared module. `append`: to add text at the end of the value. */
export const moduleAccess = form.choice("read", "append", "write");

export type ModuleAccess = "read" | "append" | "write";

/** Maximum modules of an agent, because every prompt contains all of them. */
export const maxModules = 100;

/** Returns the error for an agent with more modules than `maxModules`. */
export function tooManyModules(count: number): RequestError {
  const message = `Expected at most ${maxModules} modules for an agent, got ${count}. Nothing was changed: detach some, or join their texts.`;
  return new RequestError("input_invalid", message, { field: "modules" });
}

export function moduleUnknown(): RequestError {
  return new RequestError("module_unknown", "This user has no module with the given id.");
}

/** A module of core memory, independent of the agents that hold it. */
export const sharedModuleFields = {
  id: form.id,
  /** The user to whom the module belongs. */
  ownerId: form.text,
  label: form.text,
  description: form.nullable(form.text),
  value: form.text,
  /** Maximum length of the value, in code points. */
  limit: form.count,
  /** Whether no agent may edit the module. */
  readOnly: form.flag,
  /** Number of changes of the value. */
  revision: form.ordinal,
  /** Trust class of the value: the lowest of its lines. */
  trust: trustForm,
  /** `own` for the user's module; otherwise what the owner allows this user. */
  access: form.choice("own", "read", "append", "write"),
  tags: form.texts,
  /** A JSON object that only the caller interprets. */
  metadata: form.object(),
  createdAt: form.moment,
  updatedAt: form.moment,
};

export interface SharedModule extends RecordOf<typeof sharedModuleFields> {}

export type SharedModuleDefinition = Pick<
  SharedModule,
  "label" | "value" | "description" | "limit" | "readOnly" | "tags" | "metadata"
>;

/** A change of a module, applied only if the module is still at `revision`. A new `value` becomes the next revision. */
export type SharedModuleChange = Partial<SharedModuleDefinition> & { readonly revision: number };

export const sharedModuleFilterFields = {
  label: form.text,
  /** Only modules with at least one of these tags. */
  tags: form.texts,
  /** Only modules whose label, description or value contains this text, ignoring case. */
  text: form.text,
  /** Only modules that the agent with this id holds. */
  agentId: form.id,
};

export interface SharedModuleListRequest extends ListRange, OptionsOf<typeof sharedModuleFilterFields> {}

/** An agent that holds a module. */
export const moduleHolderFields = { agentId: form.id, agentName: form.text };

export interface ModuleHolder extends RecordOf<typeof moduleHolderFields> {}

/** A module that this user sees in an agent. Without a module grant, another user's module has no tags and metadata here. */
export interface ModuleOfAgent
  extends Pick<SharedModule, "id" | "label" | "description" | "value" | "limit" | "readOnly" | "tags" | "metadata"> {
  readonly agentId: string;
}

/** A module that another user offers to this user. */
export const moduleOfferFields = {
  moduleId: form.id,
  ownerId: form.text,
  label: form.text,
  access: moduleAccess,
  at: form.moment,
};

export interface ModuleOffer extends RecordOf<typeof moduleOfferFields> {}

/** A user with whom a module is shared, or to whom it is offered. */
export const moduleRecipientFields = {
  userId: form.text,
  access: moduleAccess,
  state: form.choice("offered", "accepted"),
  at: form.moment,
};

export interface ModuleRecipient extends RecordOf<typeof moduleRecipientFields> {}

/** Stores modules that agents hold. An id that is not a UUID matches no module. */
export interface SharedModuleStore {
  /** Creates a module. Throws RequestError `module_exists` if the user has a module of this id. */
  create(id: string, module: SharedModuleDefinition): Promise<SharedModule>;
  find(id: string): Promise<SharedModule | null>;
  /** Lists modules. Empty if `after` or `before` is an unknown module. */
  list(request: SharedModuleListRequest): Promise<readonly SharedModule[]>;
  /**
   * Changes a module, and returns it; null if there is no such module. Throws RevisionConflictError if the module is at
   * another revision, RequestError `module_exists` for a label that another module of a holder has, ModuleReadOnlyError
   * or ModuleAppendOnlyError for another user's module.
   */
  update(id: string, change: SharedModuleChange): Promise<SharedModule | null>;
  /** Deletes the user's own module, for every agent. Returns false if there is none. */
  delete(id: string): Promise<boolean>;
  /** Returns the modules that the user sees in these agents, ordered by agent and by position, in one statement. */
  ofAgents(agentIds: readonly string[]): Promise<readonly ModuleOfAgent[]>;
  /** Returns the agents of this user that hold the module. */
  holders(id: string): Promise<readonly ModuleHolder[]>;
  /**
   * Attaches modules to an agent, and returns the ids of those that were not attached before. Throws RequestError
   * `agent_not_found`, `module_unknown`, and `module_exists` for a label that the agent has.
   */
  attach(agentId: string, ids: readonly string[]): Promise<readonly string[]>;
  /** Detaches a module from an agent; the module is kept, even without a holder. Returns false if it was not attached. */
  detach(agentId: string, id: string): Promise<boolean>;
  /** Offers the module to another user, or changes that user's access. Returns false if this user does not own the module. */
  share(id: string, userId: string, access: ModuleAccess): Promise<boolean>;
  /** Ends an offer or a grant, for the module's owner or for the other user. Returns false if there was none. */
  unshare(id: string, userId: string): Promise<boolean>;
  recipients(id: string): Promise<readonly ModuleRecipient[]>;
  offers(): Promise<readonly ModuleOffer[]>;
  /** Accepts an offer. Returns false if there is none. */
  accept(id: string): Promise<boolean>;
  /** Returns the revisions of a module, newest first; of another user's module, those since this user accepted the module. */
  revisions(id: string, limit: number): Promise<readonly RevisionRecord[]>;
}
