// Counts what an import would store, without storing it.
// Invariant: only reads; the counts are those that `transfers.put` would return.
import type { Transfer, TransferCounts } from "../../../store/port/transfer-store.ts";
import type { OperationDeps } from "../../operations/operation-deps.ts";

interface Identified {
  readonly id: string;
}

type CountDeps = Pick<OperationDeps, "store">;

/** Returns a function that counts the items of transfers; an id that occurs repeatedly is counted once per kind. */
export function countNew(deps: CountDeps): (transfer: Transfer) => Promise<TransferCounts> {
  const counted = new Set<string>();
  const count = async (kind: keyof TransferCounts, items: readonly Identified[]): Promise<number> => {
    const first = items.filter(({ id }) => counted.size < counted.add(`${kind} ${id}`).size);
    return countFree(deps, first);
  };
  return async ({ modules, tools, sources, agents }) => {
    const conversations = agents.flatMap((agent) => agent.conversations);
    return {
      agents: await count("agents", agents),
      modules: await count("modules", modules),
      tools: await count("tools", tools),
      sources: await count("sources", sources),
      files: await count(
        "files",
        sources.flatMap(({ files }) => files),
      ),
      conversations: await count("conversations", conversations),
      messages: await count(
        "messages",
        conversations.flatMap(({ messages }) => messages),
      ),
      passages: await count(
        "passages",
        [...agents, ...sources].flatMap(({ passages }) => passages),
      ),
    };
  };
}

/** Returns the number of items with an id that the user does not have yet. */
export async function countFree({ store }: CountDeps, items: readonly Identified[]): Promise<number> {
  const used = await store.transfers.idsInUse(items.map(({ id }) => id));
  return items.length - used.length;
}
