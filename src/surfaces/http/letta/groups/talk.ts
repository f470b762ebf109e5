// Runs the agents of a group that speak one after the other: in their order, or as the manager chooses.
// Invariant: a round takes place once. The key of each turn is derived from the keys of the user's messages. If any server
// runs the round again, it therefore reads the turns that exist, and begins only the missing ones.
import { randomUUID } from "node:crypto";
import type { SentMessage } from "../../../../agent/turn-options.ts";
import { RequestError } from "../../../../base/errors.ts";
import type { SentEvent } from "../../event-stream.ts";
import type { AgentRecord } from "../runtime-records.ts";
import { inputOf } from "../turns/turn-request.ts";
import { type Group, keepRound } from "./group-record.ts";
import { askedIn, groupConversation, heardBy, sentAgain } from "./group-talk.ts";
import { type Answer, choiceQuestion, type GroupCall, type GroupInput, type Round, speak } from "./speak.ts";

/** Runs a round for the messages of a request. If a server was killed during the previous round, completes that one first. */
export async function* talk(call: GroupCall): Round {
  const { runtime, group, signal } = call;
  const messages = inputOf(call.request).messages.map((one) => ({ idempotencyKey: randomUUID(), ...one }));
  const keys = messages.map(({ idempotencyKey }) => idempotencyKey);
  if (group.round !== null && group.round[0] !== keys[0]) await complete(call, group.round);
  if (signal.aborted) return [];
  const [known] = await askedIn(runtime, { group, by: firstSpeaker(call), keys });
  await keepRound(runtime, group, { keys, isUnderWay: true });
  let isLeft = false;
  try {
    return yield* speakInTurn(call, { messages, at: known?.at ?? new Date() });
  } catch (error) {
    isLeft = isForNextServer(error);
    throw error;
  } finally {
    if (!isLeft) await keepRound(runtime, group, { keys, isUnderWay: false });
  }
}

/** Runs the missing turns of an interrupted round. A failure ends only this round; the round of the request then begins. */
async function complete(call: GroupCall, keys: readonly string[]): Promise<void> {
  const { runtime, group } = call;
  const by = firstSpeaker(call);
  const asked = await askedIn(runtime, { group, by, keys });
  const [first] = asked;
  // Without a first message, the server was killed before any agent had received the messages.
  if (first === undefined) return;
  const messages = await Promise.all(asked.map((message) => sentAgain(runtime, { group, by }, message)));
  const round = speakInTurn({ ...call, isStreaming: false }, { messages, at: first.at });
  try {
    while ((await round.next()).done !== true);
  } catch (error) {
    if (isForNextServer(error)) throw error;
  }
}

function isForNextServer(error: unknown): boolean {
  return error instanceof RequestError && error.code === "runtime_closing";
}

function firstSpeaker({ members: { manager, agents } }: GroupCall): AgentRecord {
  return manager ?? agents[0]!;
}

interface Asked {
  /** The messages of the user, each with its key. */
  readonly messages: readonly SentMessage[];
  readonly at: Date;
}

async function* speakInTurn(call: GroupCall, asked: Asked): Round {
  const { group, members, signal } = call;
  const { manager, agents } = members;
  const inputFor = createInputs(call, asked);
  const answers: Answer[] = [];
  let speaker: AgentRecord | null = null;
  for (let turn = 0; turn < (group.maxTurns ?? agents.length) && !signal.aborted; turn += 1) {
    if (manager === null) speaker = agents[turn % agents.length]!;
    else {
      const choice: Choice = yield* choose(call, { last: speaker, manager, inputFor });
      ({ speaker } = choice);
      answers.push(choice.answer);
    }
    if (speaker === null) break;
    const input = await inputFor(speaker);
    if (input.messages.length === 0) break;
    const answer: Answer = yield* speak(call, speaker, { input });
    answers.push(answer);
    if (isLast(group, answer)) break;
  }
  return answers;
}

/** Returns the input of an agent's turn, with `last` at its end. */
type InputFor = (agent: AgentRecord, last?: readonly SentMessage[]) => Promise<GroupInput>;

/**
 * Returns a function that returns the input of an agent's turn: the unread messages of the other agents and, in the agent's
 * first turn of the round, the user's messages. If the turn exists already, the input is only the turn's key.
 */
function createInputs({ group, members, runtime }: GroupCall, asked: Asked): InputFor {
  const heard = new Set<string>();
  const [{ idempotencyKey: first = "" } = {}] = asked.messages;
  let turns = 0;
  return async ({ id: by }, last = []) => {
    const isFirst = !heard.has(by);
    heard.add(by);
    turns += 1;
    const idempotencyKey = isFirst ? first : `${first} ${turns}`;
    const { id } = groupConversation(runtime, group, by);
    if ((await runtime.turns.findByKey(id, idempotencyKey)) !== null)
      return { messages: [{ text: "", idempotencyKey }], metadata: {} };
    const { heard: said, metadata } = await heardBy(runtime, { group, by, from: members.agents });
    const before = said.filter(({ at }) => at < asked.at).map(({ message }) => message);
    const since = said.filter(({ at }) => at >= asked.at).map(({ message }) => message);
    if (isFirst) return { messages: [...before, ...asked.messages, ...since, ...last], metadata };
    const messages = [...before, ...since, ...last];
    return { messages: messages.map((one, at) => (at === 0 ? { ...one, idempotencyKey } : one)), metadata };
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
  readonly inputFor: InputFor;
}

/** Lets the manager name the agent that speaks next. The last speaker is excluded, unless it is the only agent. */
async function* choose(call: GroupCall, { manager, last, inputFor }: Choosing): AsyncGenerator<SentEvent, Choice> {
  const { agents } = call.members;
  const others = agents.filter(({ id }) => id !== last?.id);
  const candidates = others.length === 0 ? agents : others;
  const input = await inputFor(manager, [{ role: "system", text: choiceQuestion(candidates) }]);
  const answer = yield* speak(call, manager, { input, isUnseen: true });
  const text = textIn(answer).toLowerCase();
  const speaker = candidates.find(({ name }) => text.includes(name.toLowerCase())) ?? null;
  return { speaker, answer: { ...answer, messages: [] } };
}
