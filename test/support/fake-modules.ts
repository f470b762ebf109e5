// Operations on modules: nobody else holds one, and the changes are those that no front end under test makes.
import type { SharedModule } from "../../src/store/port/shared-module-store.ts";
import type { ModuleOperations } from "../../src/runtime/modules/contract.ts";
import { fakeTime } from "./fake-records.ts";

/** A module of another user that may be appended to. */
export function sharedModule(more: Partial<SharedModule> = {}): SharedModule {
  return {
    id: "module",
    ownerId: "ada",
    label: "human",
    description: null,
    value: "Name: Ada",
    limit: 2000,
    readOnly: false,
    revision: 1,
    trust: "external",
    access: "append",
    tags: [],
    metadata: {},
    createdAt: fakeTime,
    updatedAt: fakeTime,
    ...more,
  };
}

export function fakeModules(notFaked: (name: string) => never): ModuleOperations {
  return {
    create: () => notFaked("modules.create"),
    list: () => notFaked("modules.list"),
    find: async (id) => sharedModule({ id }),
    update: () => notFaked("modules.update"),
    delete: () => notFaked("modules.delete"),
    ofAgents: () => notFaked("modules.ofAgents"),
    holders: async () => [],
    attach: () => notFaked("modules.attach"),
    detach: () => notFaked("modules.detach"),
    share: () => notFaked("modules.share"),
    unshare: () => notFaked("modules.unshare"),
    recipients: async () => [],
    offers: () => notFaked("modules.offers"),
    accept: () => notFaked("modules.accept"),
    decline: () => notFaked("modules.decline"),
    revisions: () => notFaked("modules.revisions"),
  };
}
