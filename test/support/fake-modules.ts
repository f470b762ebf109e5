// Operations on modules that no front end under test calls.
import type { ModuleOperations } from "../../src/runtime/modules.ts";

export function fakeModules(notFaked: (name: string) => never): ModuleOperations {
  return {
    create: () => notFaked("modules.create"),
    list: () => notFaked("modules.list"),
    find: () => notFaked("modules.find"),
    update: () => notFaked("modules.update"),
    delete: () => notFaked("modules.delete"),
    holders: () => notFaked("modules.holders"),
    attach: () => notFaked("modules.attach"),
    detach: () => notFaked("modules.detach"),
    share: () => notFaked("modules.share"),
    unshare: () => notFaked("modules.unshare"),
    recipients: () => notFaked("modules.recipients"),
    offers: () => notFaked("modules.offers"),
    accept: () => notFaked("modules.accept"),
    decline: () => notFaked("modules.decline"),
    revisions: () => notFaked("modules.revisions"),
  };
}
