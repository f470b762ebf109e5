// Operations on stored tools that no front end under test calls.
import type { StoredToolOperations } from "../../src/runtime/stored-tools/contract.ts";

export function fakeStoredTools(notFaked: (name: string) => never): StoredToolOperations {
  return {
    create: () => notFaked("tools.create"),
    upsert: () => notFaked("tools.upsert"),
    find: () => notFaked("tools.find"),
    list: () => notFaked("tools.list"),
    update: () => notFaked("tools.update"),
    delete: () => notFaked("tools.delete"),
    attach: () => notFaked("tools.attach"),
    detach: () => notFaked("tools.detach"),
    builtIn: () => notFaked("tools.builtIn"),
    ofAgent: () => notFaked("tools.ofAgent"),
    ofAgents: () => notFaked("tools.ofAgents"),
    setApproval: () => notFaked("tools.setApproval"),
  };
}
