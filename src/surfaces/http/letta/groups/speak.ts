// Runs a turn of one agent of a group, and writes the texts about the group for its agents.
// Invariant: each turn is an ordinary, stored turn in the agent's conversation for the group; its messages name the agent.
import type { SentMessage } from "../../../../agent/turn-options.ts";
import type { EventStream, SentEvent } from "../../event-stream.ts";
import type { AgentRecord } from "../runtime-records.ts";
import { answerTurn, type TurnCall } from "../turns/run-turn.ts";
import type { Group } from "./group-record.ts";
import { groupConversation } from "./group-talk.ts";

interface GroupMembers {
  /** Null for a group without a manager. */
  readonly manager: AgentRecord | null;
  readonly agents: readonly AgentRecord[];
}

export interface GroupCall extends Pick<TurnCall, "runtime" | "request" | "isStreaming" | "signal"> {
  readonly group: Group;
  readonly members: GroupMembers;
}

interface WireMessage {
  readonly message_type: string;
  readonly content?: unknown;
}

export type Counts = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly messages: readonly WireMessage[];
  readonly stop_reason: { readonly stop_reason: string };
  /** The tokens; null for a turn that failed in a stream, because the stream has reported the failure. */
  readonly usage: Counts | null;
}

/** Runs the turns with which a group answers: yields the events for a stream, and returns the answer of each turn. */
export type Round = AsyncGenerator<SentEvent, readonly Answer[]>;

/** The input of an agent's turn, and metadata of a new turn. */
export interface GroupInput {
  readonly messages: readonly SentMessage[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

interface Speaking {
  /** Default: the input of the request. */
  readonly input?: GroupInput;
  /** True if no event of the turn is streamed. */
  readonly isUnseen?: boolean;
}

/** Runs a turn of an agent in its conversation for the group. */
export async function* speak(
  call: GroupCall,
  agent: AgentRecord,
  { input, isUnseen = false }: Speaking = {},
): AsyncGenerator<SentEvent, Answer> {
  const isStreaming = call.isStreaming && !isUnseen;
  const turn = turnCallOf(call, agent, input);
  const request = isUnseen ? { ...turn.request, include_return_message_types: null } : turn.request;
  const answer = await answerTurn({ ...turn, request, isStreaming, isExclusive: true });
  if (isStreaming) return yield* readStream(agent, answer as EventStream);
  const whole = answer as Answer;
  return { ...whole, messages: whole.messages.map((message) => saidBy(agent, message)) };
}

/** Returns the request for a turn of an agent. Default of `input`: the input of the request. */
export function turnCallOf(call: GroupCall, agent: AgentRecord, input: GroupInput | undefined): TurnCall {
  const { group, members, runtime, request, signal } = call;
  const prompt = `${request.override_system ?? agent.systemPrompt}\n\n${groupContext(group, members, agent)}`.trimEnd();
  return {
    runtime,
    signal,
    conversation: groupConversation(runtime, group, agent.id),
    request: { ...request, background: false, override_system: prompt },
    isStreaming: false,
    isExclusive: false,
    ...(input === undefined ? {} : { input: { messages: input.messages, decisions: [] }, metadata: input.metadata }),
  };
}

/** Yields the messages of a turn's stream, and returns the turn's answer. */
async function* readStream(agent: AgentRecord, { events }: EventStream): AsyncGenerator<SentEvent, Answer> {
  const messages: WireMessage[] = [];
  let stop: Answer["stop_reason"] = { stop_reason: "error" };
  let usage: Counts | null = null;
  for await (const sent of events) {
    const data = sent.data as WireMessage;
    if (sent.isRaw === true) continue;
    if (data.message_type === "stop_reason") stop = sent.data as Answer["stop_reason"];
    else if (data.message_type === "usage_statistics") usage = { ...data };
    else if (sent.event === "error") {
      yield { data: stop };
      yield sent;
    } else {
      const message = saidBy(agent, data);
      if (data.message_type !== "ping") messages.push(message);
      yield { ...sent, data: message };
    }
  }
  return { messages, stop_reason: stop, usage };
}

/** Returns a message with the id of its agent and, if it has text for the user, the agent's name. */
export function saidBy<Message extends WireMessage>({ id, name }: Pick<AgentRecord, "id" | "name">, message: Message) {
  if (message.message_type === "ping") return message;
  const sender = { ...message, sender_id: `agent-${id}` };
  return message.message_type === "assistant_message" ? { ...sender, name } : sender;
}

/** Returns the text about a group for an agent's system prompt; "" for the manager of background agents. */
function groupContext({ managerType, description }: Group, members: GroupMembers, { id }: AgentRecord): string {
  const about = `What it is for: ${description}`;
  const others = members.agents.filter((agent) => agent.id !== id);
  if (managerType === "sleeptime")
    return id === members.manager?.id
      ? ""
      : `You work in the background of a conversation of ${members.manager?.name} with its user, which you read afterwards. Nobody reads your answers: keep in memory what is worth keeping, with your tools. ${about}`;
  if (id !== members.manager?.id)
    return `You speak in a group with ${namesOf(others)}. All read what you answer. Speak for yourself, to what was said last. ${about}`;
  const task =
    managerType === "supervisor"
      ? "You answer the user. Ask the agents with send_message_to_agent_and_wait_for_reply."
      : "You only choose who speaks next, and do not speak yourself.";
  return `You lead a group of agents. ${task} ${about}\n\n${others.map(lineOf).join("\n")}`;
}

/** Returns the question that asks the manager which agent speaks next. */
export function choiceQuestion(agents: readonly AgentRecord[]): string {
  return `Who speaks next: ${namesOf(agents)}? Answer with the name alone, or with "nobody" if all has been said.`;
}

function namesOf(agents: readonly AgentRecord[]): string {
  return agents.map(({ name }) => name).join(", ");
}

function lineOf({ id, name, description }: AgentRecord): string {
  return `- ${name} (agent-${id})${description === null ? "" : `: ${description}`}`;
}
