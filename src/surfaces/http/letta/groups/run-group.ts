// Answers a message to a group by successive turns of its agents. The kind of manager decides which agents speak.
// Invariant: each turn is an ordinary, stored turn in the agent's conversation for the group. A turn that pauses, fails
// or is cancelled is the last one. The answer has the messages of all turns and the stop reason of the last.
import { valueOn } from "../../../../base/thrown-values.ts";
import { type EventStream, type SentEvent, startedStream } from "../../event-stream.ts";
import { startUnread } from "../turns/run-turn.ts";
import { nothingToApprove } from "../turns/turn-end.ts";
import { inputOf } from "../turns/turn-request.ts";
import { keepTurns } from "./group-record.ts";
import { groupConversation, heardBy } from "./group-talk.ts";
import { type Answer, type Counts, type GroupCall, type Round, speak, turnCallOf } from "./speak.ts";
import { talk } from "./talk.ts";

/** Answers a message to a group: returns one value, or a stream. */
export async function answerGroup(request: Omit<GroupCall, "members">): Promise<unknown> {
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
  return startedStream(events());
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

/** Runs a turn of the manager, which asks the agents with its own tools. */
async function* lead(call: GroupCall): Round {
  return [yield* speak(call, call.members.manager!)];
}

/** Runs a turn of the manager and, after every `frequency` turns of the manager, a turn of each background agent. */
async function* leadAndReview(call: GroupCall): Round {
  const { runtime, group, members } = call;
  const answers = yield* lead(call);
  const turns = (group.turns ?? 0) + 1;
  const isDue = turns >= (group.frequency ?? 1);
  if (group.frequency !== null) await keepTurns(runtime, group, isDue ? 0 : turns);
  for (const agent of isDue ? members.agents : []) {
    const { heard, metadata } = await heardBy(runtime, {
      group,
      by: agent.id,
      from: [members.manager!],
      withUser: true,
    });
    const messages = heard.map(({ message }) => message);
    if (messages.length > 0) await startUnread(turnCallOf(call, agent, { messages, metadata }));
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
