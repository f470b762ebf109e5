// Creates, changes, attaches and shares modules, which are records separate from agents.
// Invariant: a change of the value or the limit of a module is refused if the value would exceed the limit.
import { codePointLength } from "../../base/code-points.ts";
import { ModuleLimitError, RequestError } from "../../base/errors.ts";
import { defaultModuleLimit } from "../../base/default-module-limit.ts";
import { MemoryModule } from "../../memory/core/memory-module.ts";
import {
  moduleUnknown,
  type SharedModule,
  type SharedModuleChange,
  type SharedModuleDefinition,
} from "../../store/port/shared-module-store.ts";
import type { ModuleOperations, NewModuleOptions } from "./contract.ts";
import { findAgent } from "../agents/find-agent.ts";
import { inputChecks } from "../operations/input-checks.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";

type ModuleDeps = Pick<OperationDeps, "store" | "ids">;

/** Maximum number of revisions that are listed by default. */
const defaultRevisions = 20;
const defaultListing = 100;

const check = inputChecks("A module");

export function createModuleOperations(deps: ModuleDeps): ModuleOperations {
  const { ids, store } = deps;
  const modules = store.sharedModules;
  return {
    create: async ({ id, ...options }) =>
      modules.create(id === undefined ? ids.next() : check.id(id), checkedModule(options)),
    list: async (options = {}) => {
      check.range(options);
      return modules.list({ order: "newest", limit: defaultListing, ...options });
    },
    find: async (id) => findModule(deps, id),
    update: async (id, options) => {
      const change = changeOf(await findModule(deps, id), options);
      return required(await modules.update(id, change));
    },
    delete: async (id) => {
      if (!(await modules.delete(id))) throw moduleUnknown();
    },
    ofAgents: (agentIds) => modules.ofAgents(agentIds),
    holders: async (id) => modules.holders((await findModule(deps, id)).id),
    attach: async (agent, id) => (await modules.attach((await findAgent(deps, agent)).id, [id])).length > 0,
    detach: async (agent, id) => {
      const found = await findAgent(deps, agent);
      return modules.detach(found.id, (await findModule(deps, id)).id);
    },
    revisions: async (id, limit = defaultRevisions) => modules.revisions((await findModule(deps, id)).id, limit),
    ...sharingOf(deps),
  };
}

type Sharing = Pick<ModuleOperations, "share" | "unshare" | "recipients" | "offers" | "accept" | "decline">;

function sharingOf(deps: ModuleDeps): Sharing {
  const { store } = deps;
  const modules = store.sharedModules;
  return {
    share: async (id, userId, access) => {
      if (userId === store.userId)
        throw new RequestError("input_invalid", "Expected another user to share the module with, got its owner.");
      if (!(await modules.share(id, userId, access))) throw moduleUnknown();
    },
    unshare: (id, userId) => modules.unshare(id, userId),
    recipients: async (id) => modules.recipients((await findModule(deps, id)).id),
    offers: () => modules.offers(),
    accept: async (id) => {
      if (!(await modules.accept(id))) throw noOffer();
      return findModule(deps, id);
    },
    decline: async (id) => {
      const isOffered = (await modules.offers()).some(({ moduleId }) => moduleId === id);
      if (!isOffered || !(await modules.unshare(id, store.userId))) throw noOffer();
    },
  };
}

async function findModule({ store }: ModuleDeps, id: string): Promise<SharedModule> {
  return required(await store.sharedModules.find(id));
}

function required(module: SharedModule | null): SharedModule {
  if (module === null) throw moduleUnknown();
  return module;
}

/**
 * Returns the definition to store. Throws DefinitionError for an invalid label or limit, ModuleLimitError, and RequestError
 * `input_invalid`.
 */
function checkedModule({ tags = [], metadata = {}, ...options }: Omit<NewModuleOptions, "id">): SharedModuleDefinition {
  const { scope: _scope, ...module } = new MemoryModule({ limit: defaultModuleLimit, ...options }).toJSON();
  check.description(module.description);
  return { ...module, tags: check.tags(tags), metadata: check.json("metadata", metadata) };
}

/**
 * Returns the change to store. Checks the changed module as a whole, but the length of its value only if the value or the limit
 * changes.
 */
function changeOf(module: SharedModule, options: Partial<Omit<NewModuleOptions, "id">>): SharedModuleChange {
  const { tags, metadata, value, ...settings } = options;
  const { label, description, limit, readOnly, revision } = module;
  const next = new MemoryModule({ label, description, limit, readOnly, ...settings, value: "" });
  const length = codePointLength(value ?? module.value);
  const isChecked = value !== undefined || options.limit !== undefined;
  if (isChecked && length > next.limit) throw new ModuleLimitError(next.label, next.limit, length);
  check.description(next.description);
  return {
    ...settings,
    revision,
    ...(value === undefined ? {} : { value }),
    ...(tags === undefined ? {} : { tags: check.tags(tags) }),
    ...(metadata === undefined ? {} : { metadata: check.json("metadata", metadata) }),
  };
}

function noOffer(): RequestError {
  return new RequestError(
    "offer_not_found",
    "This user has no such offer. `runtime.modules.offers()` lists the offers.",
  );
}
