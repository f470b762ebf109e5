// The texts about messages between agents that models read.
// Invariant: pure.
import {
  type AgentMessageRecord,
  maxChain,
  maxHops,
  type MessageRefusal,
} from "../../store/port/agent-message-store.ts";

/** Returns the token by which an agent answers a message. */
export function tokenOf({ id }: Pick<AgentMessageRecord, "id">): string {
  return id.slice(-8);
}

/** Returns a message as an agent reads it. `canReply`: whether the agent has the tool `reply`. */
export function shownMessage(message: AgentMessageRecord, { canReply }: { readonly canReply: boolean }): string {
  const { from, waits, answers, text } = message;
  const kind = answers === null ? "Message" : "Answer";
  const reply = canReply ? ` To answer it, call reply with the token ${tokenOf(message)}.` : "";
  const next = waits ? " It waits: the text of your turn is sent to it as your answer." : reply;
  return `${kind} of the agent ${quoted(from)}.${next}\n\n${text}`;
}

/** Returns why a message was not sent. */
export function refusalText({ reason, names }: MessageRefusal): string {
  const [one = "", two = ""] = names.map(quoted);
  const texts: Readonly<Record<MessageRefusal["reason"], string>> = {
    self: `${one} cannot write to itself.`,
    cycle: `${one} cannot wait for ${two}: ${waitingText(names.slice(1).map(quoted))}, so neither would go on. Write without waiting, or end your turn.`,
    chain: `${two} has already written in this chain of messages, so ${one} cannot write to it again. Answer its message, or end your turn.`,
    hops: `the message has been passed on ${maxHops} times already. End your turn with what you know.`,
    budget: `the ${maxChain} messages that may follow from one turn are used up. End your turn with what you know.`,
    token: "no message in this conversation has this token. Copy the token from the message that you answer.",
    answered: `the message of ${one} has an answer already.`,
  };
  return `Nothing was sent: ${texts[reason]}`;
}

function waitingText(names: readonly string[]): string {
  return names
    .slice(1)
    .reduce((text, name) => `${text}${text === names[0] ? "" : ", which"} waits for ${name}`, names[0] ?? "");
}

/** Returns the result of a call whose message got no answer. */
export function failureText(to: string, outcome: string): string {
  return `${quoted(to)} gave no answer (${outcome}).`;
}

function quoted(name: string): string {
  return JSON.stringify(name);
}
