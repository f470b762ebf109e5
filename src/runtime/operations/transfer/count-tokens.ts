// Counts the tokens of the messages of an agent that is imported, for the model that it has here.
// Invariant: nothing else changes; a number in a file is never believed, because the window is filled by it.
import { protocolOf } from "../../../agent/protocol/protocol-of.ts";
import type { StoredMessage } from "../../../store/port/records.ts";
import type { TransferredAgent, TransferredConversation } from "../../../store/port/transfer-store.ts";
import { countMessage, type TokenCounter } from "../../../model/tokens/token-counter.ts";
import { addressFor } from "../opening/agent-models.ts";
import type { OperationDeps } from "../operation-deps.ts";

type Counted = Pick<TransferredAgent, "model" | "protocol" | "settings">;

export function countTokens<Agent extends Counted & Pick<TransferredAgent, "conversations">>(
  deps: Pick<OperationDeps, "models">,
  agent: Agent,
): Agent {
  const counter = counterFor(deps, agent);
  // Loading the tokenizer blocks the event loop, so it is not loaded for an agent without messages.
  if (agent.conversations.some(({ messages }) => messages.length > 0)) counter.prepare();
  return { ...agent, conversations: agent.conversations.map((one) => countedConversation(one, agent, counter)) };
}

export function counterFor({ models }: Pick<OperationDeps, "models">, agent: Counted): TokenCounter {
  return models.counterFor(agent.model, addressFor(agent, agent.model));
}

export function countedConversation(
  conversation: TransferredConversation,
  agent: Counted,
  counter: TokenCounter,
): TransferredConversation {
  const protocol = protocolOf(agent.protocol);
  const messages = conversation.messages.map((message) => {
    const { speaker, at, calls: _calls, isRecalled: _isRecalled, ...rest } = message;
    const stored: StoredMessage = { ...rest, ...(speaker === null ? {} : { speaker }), at: new Date(at) };
    return { ...message, tokens: countMessage(counter, protocol.render(stored, agent.settings.timeZone)) };
  });
  return { ...conversation, messages };
}
