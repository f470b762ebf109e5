// A store that commits in a wrong order, as a careless change might: memory first, and its result in another transaction.
// It is there to show that the trials find such a thing.
import type { Store, UserStore } from "../../src/memory/store.ts";

export function brokenOrder(store: Store): Store {
  const breakUp = (user: UserStore): UserStore => ({
    ...user,
    turns: {
      ...user.turns,
      async commitToolResult(result) {
        await user.modules.change(result.agentId, result.changes, { origin: "model" });
        await user.turns.commitToolResult({ ...result, changes: [] });
      },
    },
  });
  return { ...store, as: (userId) => breakUp(store.as(userId)) };
}
