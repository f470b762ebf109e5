// Defines the operations on modules as separate records: several agents can hold a module, and users can share it.
// Invariant: each operation acts for the runtime's user only. This file checks types only; lengths and labels are
// checked where a module is stored.
import { form, type OptionsOf, optionsOf } from "../../base/arguments/forms.ts";
import { type RevisionRecord, revisionFields } from "../../store/port/records.ts";
import {
  type ModuleAccess,
  moduleAccess,
  type ModuleHolder,
  moduleHolderFields,
  type ModuleOfAgent,
  type ModuleOffer,
  moduleOfferFields,
  type ModuleRecipient,
  moduleRecipientFields,
  type SharedModule,
  sharedModuleFields,
  sharedModuleFilterFields,
} from "../../store/port/shared-module-store.ts";
import {
  admin,
  type Contract,
  isChanged,
  listFields,
  optionalOptions,
  optionalValue,
  optionsNamed,
  read,
  value,
} from "../contract.ts";

const settings = {
  /** The label: letters, digits, `_` and `-`, at most 64, a letter first. Unique among the modules of each agent. */
  label: form.text,
  /** What the module is for, as the model reads it; at most 10,000 code points. */
  description: form.nullable(form.text),
  /** Maximum length of the value, in code points; default 4,000. */
  limit: form.number,
  /** Whether agents cannot edit the module. Default false. */
  readOnly: form.flag,
};

export interface ModuleSettings extends OptionsOf<typeof settings, "label"> {}

const definition = {
  ...settings,
  /** The text of the module; default empty. */
  value: form.text,
};

export interface ModuleDefinition extends OptionsOf<typeof definition, "label"> {}

const stored = {
  ...definition,
  tags: form.texts,
  /** A JSON object for the caller's own use. */
  metadata: form.object(),
};

const newModule = {
  ...stored,
  /** A UUID; default a new one. */
  id: form.id,
};

export interface NewModuleOptions extends OptionsOf<typeof newModule, "label"> {}

const listOptions = { ...sharedModuleFilterFields, ...listFields };

/** `order`: default `newest`. `limit`: 1 to 1,000, default 100. */
export interface ModuleListOptions extends OptionsOf<typeof listOptions> {}

/**
 * A parameter `id` is a module's id. Functions throw RequestError `module_unknown` for a module that this user cannot
 * use, and `input_invalid` for an invalid option, with nothing written. Agents see a change at the start of their next
 * turn.
 */
export interface ModuleOperations {
  /**
   * Creates a module that is attached to no agent. Throws RequestError `module_exists` for an id in use, and
   * ModuleLimitError.
   */
  create(module: NewModuleOptions): Promise<SharedModule>;
  /** Returns one page of the user's own and accepted modules. For the next page, pass the last module's id as `after`. */
  list(options?: ModuleListOptions): Promise<readonly SharedModule[]>;
  find(id: string): Promise<SharedModule>;
  /**
   * Changes the given fields; a new value becomes a revision with the origin `api`. Throws RequestError `module_exists` if an
   * agent has another module with the new label, ModuleLimitError, RevisionConflictError, ModuleReadOnlyError,
   * ModuleAppendOnlyError.
   */
  update(id: string, change: Partial<Omit<NewModuleOptions, "id">>): Promise<SharedModule>;
  /** Deletes the user's own module with its revisions, and detaches it from all agents that hold it. */
  delete(id: string): Promise<void>;
  /** Returns the modules that the agents with these ids hold. One query reads many agents. */
  ofAgents(agentIds: readonly string[]): Promise<readonly ModuleOfAgent[]>;
  /** Returns the agents of this user that hold the module, sorted by name. */
  holders(id: string): Promise<readonly ModuleHolder[]>;
  /**
   * Attaches a module to an agent, after its other modules. Returns false if it was already attached. Throws RequestError
   * `module_exists` if the agent has another module with this label.
   */
  attach(agent: string, id: string): Promise<boolean>;
  /** Detaches a module from an agent. The module itself stays. Returns false if it was not attached. */
  detach(agent: string, id: string): Promise<boolean>;
  /** Offers the user's own module to another user, or changes that user's access. Does not reveal whether that user exists. */
  share(id: string, userId: string, access: ModuleAccess): Promise<void>;
  /** Ends an offer or grant, as owner or recipient: the recipient's agents lose the module. Returns false if there was none. */
  unshare(id: string, userId: string): Promise<boolean>;
  /** Returns the users with whom the user's own module is shared. */
  recipients(id: string): Promise<readonly ModuleRecipient[]>;
  /** Returns the modules that other users offer, oldest offer first. */
  offers(): Promise<readonly ModuleOffer[]>;
  /** Accepts an offer. Throws RequestError `offer_not_found`. */
  accept(id: string): Promise<SharedModule>;
  /** Declines an offer. Throws RequestError `offer_not_found`. */
  decline(id: string): Promise<void>;
  /** Returns revisions, newest first; of another user's module, only those since it was accepted. `limit`: default 20. */
  revisions(id: string, limit?: number): Promise<readonly RevisionRecord[]>;
}

const otherNames = {
  name: "Use `label`.",
  text: "Use `value`.",
  content: "Use `value`.",
  maxLength: "Use `limit`.",
  scope: "Omit `scope`: the module belongs to the user that attaches it.",
};

/** Checks the definition of a module. */
export const moduleDefinition = optionsOf(definition, { required: ["label"], otherNames });

const agent = value("agent", form.text);
const id = value("id", form.id);
const userId = value("userId", form.text);

export const moduleContract = {
  create: {
    args: [optionsNamed("module", newModule, { required: ["label"], otherNames })],
    http: admin("POST /modules", "Create a module that no agent holds yet", sharedModuleFields, { status: 201 }),
  },
  list: {
    args: [optionalOptions(listOptions)],
    http: read("GET /modules", "List the modules of all agents, and those that other users share", [
      sharedModuleFields,
    ]),
  },
  find: { args: [id], http: read("GET /modules/:module", "Get a module", sharedModuleFields) },
  update: {
    args: [id, optionsNamed("change", stored, { otherNames })],
    http: admin("PATCH /modules/:module", "Change a module; a new value becomes a revision", sharedModuleFields),
  },
  delete: { args: [id], http: admin("DELETE /modules/:module", "Delete a module for every agent that holds it", null) },
  ofAgents: { args: [value("agentIds", form.texts)], http: "`GET /modules?agentId=…` lists those of an agent." },
  holders: {
    args: [id],
    http: read("GET /modules/:module/holders", "List the agents that hold a module", [moduleHolderFields]),
  },
  attach: {
    args: [agent, id],
    http: admin("PUT /agents/:agent/held-modules/:module", "Attach a module to an agent", isChanged),
  },
  detach: {
    args: [agent, id],
    http: admin(
      "DELETE /agents/:agent/held-modules/:module",
      "Detach a module from an agent; the module stays",
      isChanged,
    ),
  },
  share: {
    args: [id, userId, value("access", moduleAccess)],
    http: admin(
      "PUT /modules/:module/recipients/:user",
      "Offer a module to another user, or change what that user may do",
      null,
    ),
  },
  unshare: {
    args: [id, userId],
    http: admin(
      "DELETE /modules/:module/recipients/:user",
      "Withdraw an offer, or end the use of a module by another user",
      null,
      { missing: ["offer_not_found", "The module is not shared with that user."] },
    ),
  },
  recipients: {
    args: [id],
    http: read("GET /modules/:module/recipients", "List the users with whom a module is shared", [
      moduleRecipientFields,
    ]),
  },
  offers: {
    args: [],
    http: read("GET /module-offers", "List the modules that other users offer", [moduleOfferFields]),
  },
  accept: {
    args: [id],
    http: admin("POST /module-offers/:module/accept", "Accept a module of another user", sharedModuleFields),
  },
  decline: { args: [id], http: admin("POST /module-offers/:module/decline", "Decline a module of another user", null) },
  revisions: {
    args: [id, optionalValue("limit", form.count)],
    http: read("GET /modules/:module/revisions", "List the changes of a module by all its holders, newest first", [
      revisionFields,
    ]),
  },
} as const satisfies Contract<ModuleOperations>;
