// Runs generated turns on a few conversations of one store, and says after each what does not hold.
// Invariant: every request is checked as it is made, by our own rules and by those of all three wire formats.
import type { Agent } from "../../src/agent/agent.ts";
import type { AgentEvent } from "../../src/agent/events.ts";
import { codePointLength } from "../../src/base/code-points.ts";
import { ContextOverflowError, ModelProtocolError, RuntimeError } from "../../src/base/errors.ts";
import { toAnthropicRequest } from "../../src/model/llm/anthropic/to-request.ts";
import type { Model, ModelEvent, ModelRequest } from "../../src/model/llm/model.ts";
import { toChatRequest } from "../../src/model/llm/openai/to-chat-request.ts";
import { toResponsesRequest } from "../../src/model/llm/openai/to-responses-request.ts";
import { checkRequest } from "./check-request.ts";
import { type ContentPart, noUsage } from "../../src/base/message/message.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { type GeneratedReply, origins } from "./generated-turns.ts";
import { checkBody } from "./journal-checks.ts";
import type { TestRuntimes } from "./runtime.ts";

export interface GeneratedTurn {
  /** Which of the lanes; see `laneCount`. */
  readonly lane: number;
  readonly input: string;
  readonly replies: readonly GeneratedReply[];
}

export interface TurnFuzzer {
  /** Runs one turn; what did not hold, as sentences. */
  run(turn: GeneratedTurn): Promise<readonly string[]>;
  /** What was done so far. */
  readonly tally: FuzzTally;
}

export interface FuzzTally {
  turns: number;
  refused: number;
  replies: number;
  requests: number;
  compactions: number;
  edits: number;
  slowestMs: number;
  slowest: string;
}

/** One agent: two protocols, each with a window that overflows soon and with one that hardly ever does. */
interface Lane {
  readonly name: string;
  agent: Agent;
  turns: number;
  /** The fold of the revisions seen so far. */
  readonly folded: Map<string, { revision: number; value: string }>;
}

/** After so many turns a lane goes on in a new conversation. */
const turnsPerConversation = 15;
const windows = [12_000, 5_000_000] as const;
const protocols = ["native", "heartbeat"] as const;
export const laneCount = windows.length * protocols.length;

export async function createTurnFuzzer(runtimes: TestRuntimes, title: string): Promise<TurnFuzzer> {
  const model = createGeneratedModel();
  const runtime = await runtimes.open({ model: model.name, models: [model] });
  const lanes: Lane[] = [];
  for (const protocol of protocols) {
    for (const contextWindow of windows) {
      const name = `${title}, ${protocol}, ${contextWindow}`;
      const settings = { contextWindow, maxSteps: 5, keepLast: 6 };
      const agent = await runtime.agents.open(name, { create: { protocol, settings } });
      const folded = new Map(agent.memory.labels().map((label) => [label, { revision: 0, value: "" }]));
      lanes.push({ name, agent, turns: 0, folded });
    }
  }
  const tally: FuzzTally = {
    turns: 0,
    refused: 0,
    replies: 0,
    requests: 0,
    compactions: 0,
    edits: 0,
    slowestMs: 0,
    slowest: "",
  };

  return {
    tally,
    async run(turn) {
      const lane = lanes[turn.lane] as Lane;
      model.begin(turn.replies);
      const { events, thrown, ms } = await runTurn(lane.agent, turn.input);
      count(tally, { turn, events, ms });
      const problems = [...model.problems()];
      tally.requests += model.requests();
      tally.replies += turn.replies.length - model.unsaid();
      if (thrown !== null) problems.push(...thrownProblems(thrown, tally));
      else problems.push(...eventProblems(events));
      problems.push(...(await memoryProblems(runtime, lane)));
      lane.turns += 1;
      const end = events.at(-1);
      const isFull = end?.type === "turn-end" && end.stopReason === "context-overflow";
      if (problems.length > 0 || isFull || lane.turns % turnsPerConversation === 0) {
        problems.push(...(await renewLane(runtime, lane)));
      }
      return problems;
    },
  };
}

interface TurnRun {
  readonly events: readonly AgentEvent[];
  readonly thrown: unknown;
  readonly ms: number;
}

async function runTurn(agent: Agent, input: string): Promise<TurnRun> {
  const events: AgentEvent[] = [];
  const started = performance.now();
  let thrown: unknown = null;
  try {
    for await (const event of agent.send(input)) events.push(event);
  } catch (error) {
    thrown = error;
  }
  return { events, thrown, ms: performance.now() - started };
}

function thrownProblems(thrown: unknown, tally: FuzzTally): readonly string[] {
  if (thrown instanceof RuntimeError && thrown.code === "input_invalid") {
    tally.refused += 1;
    return [];
  }
  return [`threw ${thrown instanceof Error ? `${thrown.name}: ${thrown.message.slice(0, 300)}` : String(thrown)}`];
}

function eventProblems(events: readonly AgentEvent[]): readonly string[] {
  const problems: string[] = [];
  const starts = events.filter((event) => event.type === "turn-start").length;
  const ends = events.filter((event) => event.type === "turn-end").length;
  if (starts !== 1 || events[0]?.type !== "turn-start") problems.push(`${starts} turn-start events`);
  if (ends !== 1 || events.at(-1)?.type !== "turn-end") problems.push(`${ends} turn-end events`);
  if (events.some((event, index) => event.sequence !== index + 1)) problems.push("the sequence has a gap");
  const calls = events.filter((event) => event.type === "tool-call").length;
  const results = events.filter((event) => event.type === "tool-result").length;
  if (calls !== results) problems.push(`${calls} tool-call events, ${results} tool-result events`);
  return problems;
}

async function memoryProblems(runtime: Runtime, lane: Lane): Promise<readonly string[]> {
  const problems: string[] = [];
  const revisions = await runtime.memory.revisions(lane.name, { limit: 60 });
  for (const { label, revision, before, after } of revisions.toReversed()) {
    const known = lane.folded.get(label);
    if (known !== undefined && revision <= known.revision) continue;
    if (known?.value !== before) problems.push(`revision ${revision} of ${label} does not follow the one before it`);
    lane.folded.set(label, { revision, value: after });
  }
  for (const module of await runtime.memory.show(lane.name)) {
    const { label, value, limit } = module;
    if (value !== lane.folded.get(label)?.value) problems.push(`${label} is not the fold of its revisions`);
    if (value !== lane.agent.memory.read(label)) problems.push(`${label} differs between the agent and the store`);
    if (codePointLength(value) > limit) problems.push(`${label} is over its limit`);
  }
  return problems;
}

/** A new conversation with empty modules; before that, the old one is read again and compared. */
async function renewLane(runtime: Runtime, lane: Lane): Promise<readonly string[]> {
  const { name, agent } = lane;
  const again = await runtime.agents.open(name, { conversation: { id: agent.conversationId } });
  const [kept, read] = [agent, again].map(({ messages }) => messages.flatMap(({ content }) => content.map(inOrder)));
  for (const label of agent.memory.labels()) await runtime.memory.set(name, label, "");
  lane.agent = await runtime.agents.open(name, { conversation: "new" });
  const problems = await memoryProblems(runtime, lane);
  const differs = kept?.find((part, index) => part !== read?.[index]);
  return differs === undefined ? problems : [...problems, `the store has another part than ${differs.slice(0, 200)}`];
}

/** The part as JSON: the store does not keep the order of keys. */
function inOrder(part: ContentPart): string {
  return JSON.stringify(part, Object.keys(part).toSorted());
}

function count(tally: FuzzTally, { turn, events, ms }: { turn: GeneratedTurn } & Omit<TurnRun, "thrown">): void {
  tally.turns += 1;
  tally.compactions += events.filter((event) => event.type === "compaction").length;
  tally.edits += events.filter((event) => event.type === "memory-edit").length;
  if (ms <= tally.slowestMs) return;
  tally.slowestMs = ms;
  tally.slowest = `${JSON.stringify(turn).length} characters of JSON, ${events.length} events`;
}

interface GeneratedModel extends Model {
  begin(replies: readonly GeneratedReply[]): void;
  problems(): readonly string[];
  requests(): number;
  /** Replies that the turn did not come to. */
  unsaid(): number;
}

/** Says the replies of the running turn in order, and "done" when there are no more. */
function createGeneratedModel(): GeneratedModel {
  let queue: GeneratedReply[] = [];
  let problems: string[] = [];
  let requests = 0;

  async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    requests += 1;
    problems.push(...requestProblems(request));
    // A summary is asked for without tools.
    const reply = request.tools.length === 0 ? undefined : queue.shift();
    if (reply === undefined) {
      yield { type: "text-delta", text: "done" };
      yield { type: "end", stopReason: "end", usage: noUsage };
      return;
    }
    yield* eventsOf(reply);
    if (reply.fault === "cut") throw new ModelProtocolError("The stream was cut.", { provider: "fuzz" });
    if (reply.fault === "overflow") throw new ContextOverflowError("The request is too long.", { provider: "fuzz" });
    if (reply.fault === "retried") {
      yield { type: "retry", attempt: 1, delayMs: 0, reason: "The stream was cut." };
      yield* eventsOf(reply);
    }
    yield { type: "end", stopReason: reply.stopReason, usage: noUsage };
  }

  return {
    name: origins.anthropic,
    contextWindow: 128_000,
    stream,
    begin(replies) {
      [queue, problems, requests] = [[...replies], [], 0];
    },
    problems: () => problems,
    requests: () => requests,
    unsaid: () => queue.length,
  };
}

function* eventsOf({ thought, texts, calls }: GeneratedReply): Generator<ModelEvent> {
  if (thought !== null && thought.text !== "") yield { type: "thought-delta", text: thought.text };
  if (thought !== null && thought.signature !== null) yield { type: "thought-signature", signature: thought.signature };
  // Adapters hand on no empty delta.
  for (const text of texts.filter((piece) => piece !== "")) yield { type: "text-delta", text };
  for (const call of calls) yield { type: "tool-call", ...call };
}

function requestProblems(request: ModelRequest): readonly string[] {
  const { anthropic, openai } = origins;
  return [
    ...checkRequest(request),
    ...wireProblems("anthropic", () => toAnthropicRequest(request, { model: "fuzz", origin: anthropic })),
    ...wireProblems("chat", () =>
      toChatRequest(request, { model: "fuzz", limitField: "max_tokens", stateChannel: "joined" }),
    ),
    ...wireProblems("responses", () => toResponsesRequest(request, { model: "fuzz", origin: openai })),
  ];
}

function wireProblems(api: "anthropic" | "chat" | "responses", make: () => unknown): readonly string[] {
  try {
    const body = make();
    const illFormed = isWellFormed(JSON.stringify(body)) ? [] : ["the body is not well-formed Unicode"];
    return [...checkBody(api, body), ...illFormed].map((problem) => `${api}: ${problem}`);
  } catch (error) {
    return [`${api}: the request cannot be made: ${String(error).slice(0, 200)}`];
  }
}

// Lone surrogates are escaped in JSON, and nothing else that begins so is.
function isWellFormed(json: string): boolean {
  return !/\\ud[89a-f]/i.test(json) || !/\\ud[89a-f]/i.test(json.replaceAll("\\\\", ""));
}
