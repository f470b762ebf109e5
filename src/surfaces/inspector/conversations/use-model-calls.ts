// Loads the model calls that wrote the messages of a thread, with the prices of their models.
// Invariant: the call of a message is requested once, with the message's page. A message without a call, such as an
// imported one, has none.
import { useRef } from "preact/hooks";
import type { CallResult } from "../../client/api-types.ts";
import type { UsageStep } from "../costs/usage-days.ts";
import { useSession } from "../session/inspector-session.ts";
import { type Loaded, useLoaded } from "../session/use-loaded.ts";
import type { ThreadMessage } from "./use-thread.ts";

export interface ModelCalls {
  /** The call by the id of the message with its reply; null for a message without a call. */
  readonly calls: ReadonlyMap<string, UsageStep | null>;
  /** The price by the name of the model. */
  readonly prices: ReadonlyMap<string, CallResult<"GET /prices">[number]["price"]>;
}

/** Maximum calls of one request. Pages that load together have fewer, unless the conversation has many branches. */
const maxCalls = 300;
/** An id that sorts after all other ids. The ids of messages and calls sort together by time. */
const lastId = "ffffffff-ffff-7fff-bfff-ffffffffffff";

/** Returns the calls that are loaded so far. `messages`: the loaded part of the thread of the conversation. */
export function useModelCalls(
  agent: string,
  conversation: string,
  messages: readonly ThreadMessage[],
): ModelCalls & Pick<Loaded<void>, "error" | "reload"> {
  const { client } = useSession();
  const calls = useRef(new Map<string, UsageStep | null>()).current;
  const prices = useRef(new Map<string, CallResult<"GET /prices">[number]["price"]>()).current;
  const { error, reload } = useLoaded(
    async (signal) => {
      const isNew = ({ id }: ThreadMessage): boolean => !calls.has(id);
      const before = messages.find(isNew)?.id;
      if (before === undefined) return;
      // The id of a call sorts after the id of the message with its reply, and before the id of the next message.
      const after = messages[messages.findLastIndex(isNew) + 1]?.id ?? lastId;
      const query = { conversation, order: "newest", before, after, limit: maxCalls } as const;
      const found = await client.call("GET /agents/:agent/steps", { params: { agent }, query, signal });
      const model = [...new Set(found.map((step) => step.model))].filter((name) => !prices.has(name));
      const added = model.length === 0 ? [] : await client.call("GET /prices", { query: { model }, signal });
      for (const each of added) prices.set(each.model, each.price);
      for (const { id } of messages.filter(isNew)) calls.set(id, null);
      for (const step of found) calls.set(step.messageId, step);
    },
    [client, agent, messages],
  );
  return { calls, prices, error, reload };
}
