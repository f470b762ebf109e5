// Runs --input-format stream-json: reads lines with messages or control requests, runs their turns, and writes records.
// Invariant: turns run one after the other in the order of their lines; each line leads to a turn, a response or an
// error. While 100 turns run or wait, no further line is read.
import type { AgentEvent } from "../../../agent/events.ts";
import type { ControlInput, MessagesInput, StreamInput, UserInput } from "../../stream/headless/stream-input.ts";
import type { CommandCall } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { describeFailure } from "../failure.ts";
import { questionRecord } from "./headless-records.ts";
import { createHeadlessRun, type HeadlessRun } from "./headless-run.ts";
import { type InputLine, parseInputLine, readInputLines } from "./input-lines.ts";
import { openAgent } from "../open-agent.ts";
import type { Agent } from "../runtime-records.ts";
import { turnLimitFlags, type TurnLimits } from "./headless-flags.ts";
import { createStreamVerdict, judgeTurn, type StreamVerdict } from "./turn-verdict.ts";

type Request = ControlInput["request"];
type Decision = ControlInput & { readonly request: Extract<Request, { subtype: "approve" | "deny" }> };
type QuestionInput = ControlInput & { readonly request: Extract<Request, { subtype: "answer" | "decline" }> };
/** An input line that starts a turn. */
type TurnInput = UserInput | MessagesInput | Decision;

interface StreamDeps {
  readonly call: CommandCall;
  readonly limits: TurnLimits;
  readonly run: HeadlessRun;
  readonly verdict: StreamVerdict;
  readonly queue: TurnQueue<TurnInput>;
}

/** Maximum number of turns that run or wait. At this number, the reading of lines pauses. */
const maxWaiting = 100;

/** Runs the turns of all input lines until the input ends, and returns the exit code. */
export async function runStreamInput(call: CommandCall, limits: TurnLimits): Promise<number> {
  const run = createHeadlessRun(call, "stream-json");
  const parts = { call, limits, run, verdict: createStreamVerdict(), queue: createTurnQueue<TurnInput>(maxWaiting) };
  try {
    const agent = await openAgent(call, { otherwise: "new", ofThisRun: turnLimitFlags });
    run.begin(agent);
    const { mcp } = await call.runtime();
    mcp.watchQuestions((question) => run.report(questionRecord(question)));
    // Questions of MCP servers are no longer reported after the end of the input, because they could not be answered.
    const reading = readLines(parts)
      .finally(() => mcp.watchQuestions(null))
      .finally(parts.queue.close);
    // `reading` is awaited after the turns. Without this handler, Node would report an earlier rejection as unhandled.
    reading.catch(() => undefined);
    for await (const turn of parts.queue.turns()) await takeTurn(parts, agent, turn);
    await reading;
    return run.end(parts.verdict.final());
  } catch (error) {
    return run.fail(error);
  }
}

async function readLines(deps: StreamDeps): Promise<void> {
  const { stdin, signal } = deps.call.world;
  for await (const line of readInputLines(stdin, signal)) {
    if (line.text !== null && line.text.trim() === "") continue;
    const parsed = line.text === null ? { type: "refused" as const, problem: line.problem } : parseInputLine(line.text);
    if (parsed.type === "refused") refuse(deps, line, parsed.problem);
    else await follow(deps, line.number, parsed.input);
  }
}

function refuse({ run, verdict }: StreamDeps, { number }: InputLine, problem: string): void {
  const message = `line ${number} of standard input: ${problem}. The line was skipped.`;
  run.report({ type: "error", line: number, code: "input_invalid", message });
  verdict.failed({ subtype: "error_input", exitCode: exitCodes.usage, message, code: "input_invalid" });
}

function follow(deps: StreamDeps, line: number, input: StreamInput): Promise<void> | void {
  if (isQuestionInput(input)) return answerQuestion(deps, input);
  if (!isInterrupt(input)) return deps.queue.add({ line, input, interruption: new AbortController() });
  const turn = deps.queue.first();
  turn?.interruption.abort();
  const isDone = turn !== undefined;
  const error = { code: "input_invalid", message: "There is no turn to interrupt: none is running or waiting." };
  respond(deps, input.request_id, isDone ? null : error);
}

function isQuestionInput(input: StreamInput): input is QuestionInput {
  return input.type === "control_request" && ["answer", "decline"].includes(input.request.subtype);
}

async function answerQuestion(deps: StreamDeps, { request_id, request }: QuestionInput): Promise<void> {
  const { mcp } = await deps.call.runtime();
  try {
    if (request.subtype === "decline") await mcp.answer(request.question_id, { action: "decline" });
    else await mcp.answer(request.question_id, { action: "accept", content: request.content });
    respond(deps, request_id, null);
  } catch (error) {
    const { code, message } = describeFailure(error, deps.call.world);
    respond(deps, request_id, { code, message });
  }
}

function isInterrupt(input: StreamInput): input is Exclude<StreamInput, TurnInput | QuestionInput> {
  return input.type === "control_request" && input.request.subtype === "interrupt";
}

function respond({ run }: StreamDeps, request_id: string, error: { code: string; message: string } | null): void {
  const outcome = error === null ? { subtype: "success" as const } : { subtype: "error" as const, error };
  run.report({ type: "control_response", request_id, ...outcome });
}

async function takeTurn(deps: StreamDeps, agent: Agent, turn: QueuedTurn<TurnInput>): Promise<void> {
  const { run, verdict, call } = deps;
  const { line, input, interruption } = turn;
  const signal = AbortSignal.any([call.world.signal, interruption.signal]);
  let begun = false;
  try {
    signal.throwIfAborted();
    const events = eventsOf(deps, agent, { input, signal });
    const ended = await run.take(
      observed(events, () => {
        if (!begun && input.type === "control_request") respond(deps, input.request_id, null);
        begun = true;
      }),
      signal,
    );
    verdict.ended(judgeTurn(ended));
  } catch (error) {
    const { code, message, exitCode } = describeFailure(error, { ...call.world, signal });
    // The request was refused before its turn began, so nothing changed. For a decision, the response reports the refusal.
    if (!begun && input.type === "control_request") return respond(deps, input.request_id, { code, message });
    run.report({ type: "error", line, code, message: `line ${line} of standard input: ${message}` });
    const isInterrupted = code === "interrupted";
    const failure = { subtype: isInterrupted ? "error_interrupted" : "error_failed", exitCode, message, code } as const;
    if (isInterrupted) verdict.ended(failure);
    else verdict.failed(failure);
  }
}

function eventsOf(
  { limits }: StreamDeps,
  agent: Agent,
  { input, signal }: { readonly input: TurnInput; readonly signal: AbortSignal },
): AsyncIterable<AgentEvent> {
  if (input.type === "user") return agent.send(textOf(input.message), { ...limits, signal, files: input.files ?? [] });
  if (input.type === "messages") {
    const messages = input.messages.map(({ content, idempotency_key: key, ...message }) => ({
      ...message,
      text: textOf({ content }),
      ...(key === undefined ? {} : { idempotencyKey: key }),
    }));
    return agent.send({ messages }, { ...limits, signal });
  }
  const { request } = input;
  if (request.subtype === "deny") {
    const { reason } = request;
    return agent.deny(request.call_id, { ...limits, signal, ...(reason === undefined ? {} : { reason }) });
  }
  const { arguments: edited } = request;
  return agent.approve(request.call_id, { ...limits, signal, ...(edited === undefined ? {} : { arguments: edited }) });
}

function textOf({ content }: Pick<UserInput["message"], "content">): string {
  return typeof content === "string" ? content : content.map((part) => part.text).join("\n");
}

/** Yields the events, and calls `begun` at the turn's start. */
async function* observed(events: AsyncIterable<AgentEvent>, begun: () => void): AsyncGenerator<AgentEvent> {
  for await (const event of events) {
    if (event.type === "turn-start") begun();
    yield event;
  }
}

/** A queued turn: its input line, and the signal that ends only this turn. */
interface QueuedTurn<Input> {
  readonly line: number;
  readonly input: Input;
  readonly interruption: AbortController;
}

export function createTurnQueue<Input>(max: number) {
  const open: QueuedTurn<Input>[] = [];
  let isClosed = false;
  let wake = (): void => undefined;
  let changed = new Promise<void>((resolve) => (wake = resolve));
  const report = (): void => {
    wake();
    changed = new Promise<void>((resolve) => (wake = resolve));
  };
  return {
    /** Resolves when the turn is queued and there is room for another. */
    async add(turn: QueuedTurn<Input>): Promise<void> {
      open.push(turn);
      report();
      while (open.length >= max) await changed;
    },
    /** Returns the running turn, or the next one; undefined if there is none. */
    first: () => open[0],
    /** Closes the queue: no more turns will be added. */
    close(): void {
      isClosed = true;
      report();
    },
    /** Yields the turns in order until the queue is closed and empty. Requesting the next turn ends the previous one. */
    async *turns(): AsyncGenerator<QueuedTurn<Input>, void> {
      for (;;) {
        const [next] = open;
        if (next !== undefined) {
          yield next;
          open.shift();
          report();
        } else if (isClosed) return;
        else await changed;
      }
    },
  };
}

export type TurnQueue<Input> = ReturnType<typeof createTurnQueue<Input>>;
