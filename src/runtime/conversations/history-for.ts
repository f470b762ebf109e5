// Reads the history of a user's conversation, up to any message of its tree, for use in another prompt.
// Invariant: messages are read page by page from the end, and no further than the limits require.
import {
  type ConversationHistory,
  cutHistory,
  fillQueryTemplate,
  hasVisibleText,
  historyLine,
  type HistoryMessage,
  readLimits,
  visibleContent,
} from "../../context/conversation-history.ts";
import { RequestError } from "../../base/errors.ts";
import type { HistoryOptions } from "./contract.ts";
import { countMessage } from "../../model/tokens/token-counter.ts";
import { counterOf } from "../operations/opening/agent-models.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { pagesBackwards } from "./pages-backwards.ts";

/**
 * Returns the messages up to a leaf, within limits. Throws RequestError `conversation_not_found`, `message_not_found` for a
 * leaf of another conversation, and `input_invalid`.
 */
export async function historyFor(
  deps: Pick<OperationDeps, "store" | "defaults" | "models">,
  options: HistoryOptions,
): Promise<ConversationHistory> {
  const limits = readLimits(options);
  const query = queryOf(options);
  const countTokens = await tokenCounterFor(deps, options);
  const history = await cutHistory(messagesBackwards(deps, options), limits, countTokens);
  const { rolePrefix } = options;
  const lines = rolePrefix === undefined ? null : history.messages.map((message) => historyLine(message, rolePrefix));
  return { ...history, text: lines?.join("\n") ?? null, query };
}
type Count = (message: Pick<HistoryMessage, "role" | "text" | "content">) => number;

async function tokenCounterFor(
  deps: Pick<OperationDeps, "store" | "defaults" | "models">,
  options: HistoryOptions,
): Promise<Count> {
  const { conversation: id, rolePrefix } = options;
  const { store, models, defaults } = deps;
  const conversation = await store.conversations.find(id);
  if (conversation === null) throw new RequestError("conversation_not_found", `There is no conversation "${id}".`);
  // If the agent is no longer shared with the user, its model is unknown, so the default model counts the tokens.
  const agent = await store.agents.find(conversation.agentId);
  const counter =
    agent === null ? models.counterFor(defaults.model, defaults.settings.baseUrl) : counterOf(deps, agent);
  if (rolePrefix !== undefined) return (message) => counter.count(`${historyLine(message, rolePrefix)}\n`);
  return ({ role, content }) => countMessage(counter, { role, content });
}

/** Yields the messages of the user and the agent, newest first, starting at the leaf. */
async function* messagesBackwards(
  { store }: Pick<OperationDeps, "store">,
  options: HistoryOptions,
): AsyncGenerator<Omit<HistoryMessage, "tokens">> {
  const { conversation, leaf = null } = options;
  for await (const page of pagesBackwards(store.conversations, conversation, leaf)) {
    for (const message of page.filter(hasVisibleText).reverse()) {
      const { id, role, text, at } = message;
      yield { id, role: role === "user" ? "user" : "assistant", text, content: visibleContent(message), at };
    }
  }
}

function queryOf({ query, queryTemplate }: HistoryOptions): string | null {
  if (query === undefined && queryTemplate !== undefined) {
    throw new RequestError("input_invalid", "Expected a `query` for the query template, got none.");
  }
  if (query === undefined) return null;
  return queryTemplate === undefined ? query : fillQueryTemplate(queryTemplate, query);
}
