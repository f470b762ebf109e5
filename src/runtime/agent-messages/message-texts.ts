// Formats messages between agents, their answers and refusals as texts for models.
// Invariant: pure.
import {
  type AgentMessageRecord,
  maxChain,
  maxHops,
  type MessageRefusal,
  type OpenAgentMessage,
} from "../../store/port/agent-message-store.ts";

/** Returns the token that an agent passes to answer a message. */
export function tokenOf({ id }: Pick<AgentMessageRecord, "id">): string {
  return id.slice(-8);
}

/** How to answer a message with each tool. If an agent has several of these tools, only the first is named. */
const advice: Readonly<Record<string, (message: AgentMessageRecord) => string>> = {
  reply: (message) => ` To answer it, call reply with the token ${tokenOf(message)}.`,
  send_message_to_agent_async: ({ from }) =>
    ` To answer it, call send_message_to_agent_async with the other_agent_id ${quoted(from)}.`,
};

/** Returns a message as an agent reads it. `tools`: the names of the agent's tools. */
export function shownMessage(message: AgentMessageRecord, tools: readonly string[]): string {
  const { from, waits, answers, text } = message;
  const kind = answers === null ? "Message" : "Answer";
  const [answering] = Object.keys(advice).filter((name) => tools.includes(name));
  const reply = answering === undefined ? "" : advice[answering]!(message);
  const next = waits ? " It waits: the text of your turn is sent to it as your answer." : reply;
  return `${kind} of the agent ${quoted(from)}.${next}\n\n${text}`;
}

interface CallAnswer {
  readonly status: "ok" | "failed";
  readonly text: string;
}

/** Returns the result of a call of `tool` that waited for answers to `messages` (at least one). */
export function answerOf(tool: string, messages: readonly OpenAgentMessage[]): CallAnswer {
  const { answer, to, outcome } = messages[0]!;
  if (tool === "send_message_to_agents_matching_tags")
    return { status: "ok", text: JSON.stringify(messages.map(lettaAnswer)) };
  if (answer === null) return { status: "failed", text: failureText(to, outcome) };
  const isLettas = tool === "send_message_to_agent_and_wait_for_reply";
  return { status: "ok", text: isLettas ? JSON.stringify(lettaAnswer(messages[0]!)) : answer.text };
}

function lettaAnswer({ toAgentId, to, answer, outcome }: OpenAgentMessage) {
  return { agent_id: `agent-${toAgentId}`, response: [answer?.text ?? `<error: ${failureText(to, outcome)}>`] };
}

/** Returns why a message was not sent. */
export function refusalText({ reason, names }: MessageRefusal): string {
  const [one = "", two = ""] = names.map(quoted);
  const texts: Readonly<Record<MessageRefusal["reason"], string>> = {
    self: `${one} cannot write to itself.`,
    cycle: `${one} cannot wait for ${two}: ${waitingText(names.slice(1).map(quoted))}, so neither could continue. Write without waiting, or end your turn.`,
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

function failureText(to: string, outcome: string | null): string {
  return `${quoted(to)} gave no answer (${outcome}).`;
}

function quoted(name: string): string {
  return JSON.stringify(name);
}
