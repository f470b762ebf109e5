// Answers a message to a group by successive turns of its agents. The kind of manager decides which agents speak.
// Invariant: each turn is an ordinary, stored turn in the agent's conversation for the group. A turn that pauses, fails
// or is cancelled is the last one. The answer has the messages of all turns and the stop reason of the last.
import { systemClock } from "../../../../base/clock.ts";
import { valueOn } from "../../../../base/thrown-values.ts";
import type { SentMessage } from "../../../../agent/turn-options.ts";
import { type EventStream, type SentEvent, startedStream } from "../../event-stream.ts";
import type { AgentRecord } from "../runtime-records.ts";
import { answerTurn, startUnread, type TurnCall } from "../turns/run-turn.ts";
import { nothingToApprove } from "../turns/turn-end.ts";
import { inputOf } from "../turns/turn-request.ts";
import { choiceQuestion, groupContext, type GroupMembers } from "./group-context.ts";
import { type Group, saveGroup } from "./group-record.ts";
import { groupConversation, heardBy } from "./group-talk.ts";

interface GroupRequest extends Pick<TurnCall, "runtime" | "request" | "isStreaming" | "signal"> {
  readonly group: Group;
}

interface GroupCall extends GroupRequest {
  readonly members: GroupMembers;
}

interface WireMessage {
  readonly message_type: string;
  readonly content?: unknown;
}

type Counts = Readonly<Record<string, unknown>>;

interface Answer {
  readonly messages: readonly WireMessage[];
  readonly stop_reason: { readonly stop_reason: string };
  /** The tokens; null for a turn that failed in a stream, because the stream has reported the failure. */
  readonly usage: Counts | null;
}

/** Runs the turns of an answer: yields the events for a stream, and returns the answers. */
type Round = AsyncGenerator<SentEvent, readonly Answer[]>;

/** Answers a message to a group: returns one value, or a stream. */
export async function answerGroup(request: GroupRequest): Promise<unknown> {
  const { group, runtime, isStreaming } = request;
  const find = (id: string) => runtime.agents.find(id);
  const manager = group.managerId === null ? null : await find(group.managerId);
  const round = roundOf({ ...request, members: { manager, agents: await Promise.all(group.agentIds.map(find)) } });
  if (isStreaming) return streamed(round);
  for (;;) {
    const next = await round.next();
    if (next.done === true) return joined(next.value);
  }
}

function roundOf(call: GroupCall): Round {
  if (inputOf(call.request).decisions.length > 0) return decide(call);
  const { managerType } = call.group;
  if (managerType === "supervisor") return lead(call);
  return managerType === "sleeptime" ? leadAndReview(call) : talk(call);
}

function streamed(round: Round): Promise<EventStream> {
  async function* events(): AsyncGenerator<SentEvent, void> {
    const { stop_reason, usage } = joined(yield* round);
    if (usage !== null) {
      yield { data: stop_reason };
      yield { data: usage };
    }
    yield { data: "[DONE]", isRaw: true };
  }
  return startedStream(events(), systemClock);
}

function joined(answers: readonly Answer[]) {
  const last = answers.at(-1);
  const usages = answers.map(({ usage }) => usage);
  const isWhole = usages.every((usage) => usage !== null);
  return {
    messages: answers.flatMap(({ messages }) => messages),
    stop_reason: last?.stop_reason ?? { message_type: "stop_reason", stop_reason: "end_turn" },
    usage: isWhole ? usages.reduce(added, { message_type: "usage_statistics", step_count: 0, total_tokens: 0 }) : null,
    logprobs: null,
    turns: null,
  };
}

function added(sum: Counts, usage: Counts): Counts {
  const fields = Object.entries(usage).map(([name, value]) => {
    const before = sum[name];
    return [name, typeof value === "number" && typeof before === "number" ? before + value : value];
  });
  return { ...sum, ...Object.fromEntries(fields) };
}

interface Speaking {
  /** The input of the turn. Default: the input of the request. */
  readonly messages?: readonly SentMessage[];
  /** True if no event of the turn is streamed. */
  readonly isUnseen?: boolean;
}

/** Runs a turn of an agent in its conversation for the group. */
async function* speak(
  call: GroupCall,
  agent: AgentRecord,
  { messages, isUnseen = false }: Speaking = {},
): AsyncGenerator<SentEvent, Answer> {
  const isStreaming = call.isStreaming && !isUnseen;
  const turn = turnCallOf(call, agent, messages);
  const request = isUnseen ? { ...turn.request, include_return_message_types: null } : turn.request;
  const answer = await answerTurn({ ...turn, request, isStreaming, isExclusive: true });
  if (isStreaming) return yield* readStream(agent, answer as EventStream);
  const whole = answer as Answer;
  return { ...whole, messages: whole.messages.map((message) => saidBy(agent, message)) };
}

function turnCallOf(call: GroupCall, agent: AgentRecord, messages: readonly SentMessage[] | undefined): TurnCall {
  const { group, members, runtime, request, signal } = call;
  const prompt = `${request.override_system ?? agent.systemPrompt}\n\n${groupContext(group, members, agent)}`.trimEnd();
  return {
    runtime,
    signal,
    conversation: groupConversation(runtime, group, agent.id),
    request: { ...request, background: false, override_system: prompt },
    isStreaming: false,
    isExclusive: false,
    ...(messages === undefined ? {} : { input: { messages, decisions: [] } }),
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

/** Runs the agents that speak one after the other: in their order, or as the manager chooses. */
async function* talk(call: GroupCall): Round {
  const { group, members, signal } = call;
  const { manager, agents } = members;
  const inputFor = createInputs(call);
  const answers: Answer[] = [];
  let speaker: AgentRecord | null = null;
  for (let turn = 0; turn < (group.maxTurns ?? agents.length) && !signal.aborted; turn += 1) {
    if (manager === null) speaker = agents[turn % agents.length]!;
    else {
      const choice: Choice = yield* choose(call, { last: speaker, manager, input: await inputFor(manager) });
      ({ speaker } = choice);
      answers.push(choice.answer);
    }
    const messages = speaker === null ? [] : await inputFor(speaker);
    if (speaker === null || messages.length === 0) break;
    const answer: Answer = yield* speak(call, speaker, { messages });
    answers.push(answer);
    if (isLast(group, answer)) break;
  }
  return answers;
}

/** Returns a function that returns an agent's unread messages: those of the other agents, and those of this request. */
function createInputs({ group, members, runtime, request }: GroupCall) {
  const begun = new Date();
  const { messages: asked } = inputOf(request);
  const heard = new Set<string>();
  return async ({ id: by }: AgentRecord): Promise<readonly SentMessage[]> => {
    const said = await heardBy(runtime, { group, by, from: members.agents });
    const before = said.filter(({ at }) => at < begun).map(({ message }) => message);
    const since = said.filter(({ at }) => at >= begun).map(({ message }) => message);
    const isFirst = !heard.has(by);
    heard.add(by);
    return [...before, ...(isFirst ? asked : []), ...since];
  };
}

function isLast({ terminationToken: token }: Group, answer: Answer): boolean {
  const goesOn = ["end_turn", "tool_rule"].includes(answer.stop_reason.stop_reason);
  return !goesOn || (token !== null && textIn(answer).includes(token));
}

function textIn({ messages }: Pick<Answer, "messages">): string {
  const texts = messages.filter(({ message_type: type }) => type === "assistant_message");
  return texts.map(({ content }) => String(content)).join("");
}

interface Choice {
  /** Null if the manager names no agent, which ends the talk. */
  readonly speaker: AgentRecord | null;
  /** The manager's turn, without its messages. */
  readonly answer: Answer;
}

interface Choosing {
  readonly manager: AgentRecord;
  readonly last: AgentRecord | null;
  readonly input: readonly SentMessage[];
}

/** Lets the manager name the agent that speaks next. The last speaker is excluded, unless it is the only agent. */
async function* choose(call: GroupCall, { manager, last, input }: Choosing): AsyncGenerator<SentEvent, Choice> {
  const { agents } = call.members;
  const others = agents.filter(({ id }) => id !== last?.id);
  const candidates = others.length === 0 ? agents : others;
  const messages = [...input, { role: "system", text: choiceQuestion(candidates) } as const];
  const answer = yield* speak(call, manager, { messages, isUnseen: true });
  const text = textIn(answer).toLowerCase();
  const speaker = candidates.find(({ name }) => text.includes(name.toLowerCase())) ?? null;
  return { speaker, answer: { ...answer, messages: [] } };
}

/** Runs a turn of the manager, which asks the agents with its own tools. */
async function* lead(call: GroupCall): Round {
  return [yield* speak(call, call.members.manager!)];
}

/** Runs a turn of the manager and, after each `frequency` turns, turns of the agents in the background. */
async function* leadAndReview(call: GroupCall): Round {
  const { runtime, group, members } = call;
  const answers = yield* lead(call);
  const turns = (group.turns ?? 0) + 1;
  const isDue = turns >= (group.frequency ?? 1);
  if (group.frequency !== null) await saveGroup(runtime, group, { ...group, turns: isDue ? 0 : turns });
  for (const agent of isDue ? members.agents : []) {
    const heard = await heardBy(runtime, { group, by: agent.id, from: [members.manager!], withUser: true });
    const messages = heard.map(({ message }) => message);
    if (messages.length > 0) await startUnread(turnCallOf(call, agent, messages));
  }
  return answers;
}

/** Carries out decisions about calls in the turn of the first agent with a waiting turn. */
async function* decide(call: GroupCall): Round {
  const { runtime, group, members } = call;
  for (const agent of [...(members.manager === null ? [] : [members.manager]), ...members.agents]) {
    const { id: conversation } = groupConversation(runtime, group, agent.id);
    const waiting = await runtime.turns
      .list({ conversation, states: ["waiting"], limit: 1 })
      .catch(valueOn("conversation_not_found", []));
    if (waiting.length > 0) return [yield* speak(call, agent)];
  }
  throw nothingToApprove();
}
