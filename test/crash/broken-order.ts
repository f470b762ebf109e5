// Stores that commit in a wrong order, as a careless change might: what belongs together is written in two transactions.
// They are there to show that the trials find such a thing.
import type { Store, UserStore } from "../../src/store/port/store.ts";

/** What is written apart: memory and its result, a node memory's row and its object, two compactions that are one. */
export const brokenOrders = ["memory", "node", "compaction"] as const;

export type BrokenOrder = (typeof brokenOrders)[number];

export const brokenOrder = (store: Store, kind: BrokenOrder): Store => ({
  ...store,
  as: (userId) => breakers[kind](store.as(userId)),
});

const breakers: Readonly<Record<BrokenOrder, (user: UserStore) => UserStore>> = {
  memory: (user) => ({
    ...user,
    turns: {
      ...user.turns,
      async commitToolResult(result) {
        await user.modules.change(result.agentId, result.changes, { origin: "model" });
        await user.turns.commitToolResult({ ...result, changes: [] });
      },
    },
  }),
  node: (user) => ({
    ...user,
    nodeMemories: {
      ...user.nodeMemories,
      async replace(change) {
        if (change.data !== null) await user.objects.create(change.objectKey, change.data);
        // The object is there already, so only the row is written.
        return user.nodeMemories.replace(change);
      },
    },
  }),
  compaction: (user) => ({
    ...user,
    compactions: {
      ...user.compactions,
      async add(lease, made) {
        // The second half of the range first: a kill between the two leaves a gap before it.
        const [first, ...rest] = made;
        if (first === undefined || first.throughPosition - first.fromPosition < 2)
          return user.compactions.add(lease, made);
        const messages = await user.compactions.messages(lease.conversationId, first);
        const middle = Math.floor(messages.length / 2);
        const from = first.fromPosition + middle;
        await user.compactions.add(lease, [{ ...first, fromPosition: from }, ...rest]);
        const through = { throughId: messages[middle - 1]!.id, throughPosition: from - 1 };
        return user.compactions.add(lease, [{ ...first, ...through, id: crypto.randomUUID() }]);
      },
    },
  }),
};
