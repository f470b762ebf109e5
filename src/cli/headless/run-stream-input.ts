// --input-format stream-json: lines of messages and control requests in, records out.
// Invariant: turns run one after the other in the order of their lines; every line is answered by a turn, a response or an error.
import type { AgentEvent } from "../../agent/events.ts";
import type { ControlInput, StreamInput, UserInput } from "../../headless/stream-input.ts";
import type { CommandCall } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { describeFailure } from "../failure.ts";
import { createHeadlessRun, type HeadlessRun } from "./headless-run.ts";
import { type InputLine, readInputLines } from "./input-lines.ts";
import { openAgent } from "../open-agent.ts";
import { parseInputLine } from "./parse-input-line.ts";
import type { Agent } from "../runtime-records.ts";
import { createStreamVerdict, type StreamVerdict } from "./stream-verdict.ts";
import { type TurnLimits, turnLimitFlags } from "../parse/turn-limits.ts";
import { createTurnQueue, type QueuedTurn, type TurnQueue } from "./turn-queue.ts";
import { judgeTurn } from "./turn-verdict.ts";

type Decision = ControlInput & { readonly request: Exclude<ControlInput["request"], { subtype: "interrupt" }> };
/** What a turn is begun with. */
type Wish = UserInput | Decision;

interface StreamParts {
  readonly call: CommandCall;
  readonly limits: TurnLimits;
  readonly run: HeadlessRun;
  readonly verdict: StreamVerdict;
  readonly queue: TurnQueue<Wish>;
}

/** Turns that wait before no more lines are read. */
const mostWaiting = 100;

/** Runs until the input ends, and returns the exit code. */
export async function runStreamInput(call: CommandCall, limits: TurnLimits): Promise<number> {
  const run = createHeadlessRun(call, "stream-json");
  const parts = { call, limits, run, verdict: createStreamVerdict(), queue: createTurnQueue<Wish>(mostWaiting) };
  try {
    const agent = await openAgent(call, { otherwise: "new", ofThisRun: turnLimitFlags });
    run.begin(agent);
    const reading = readLines(parts).finally(parts.queue.close);
    // Awaited below, when the turns have ended; until then it must not count as unhandled.
    reading.catch(() => undefined);
    for await (const turn of parts.queue.turns()) await takeTurn(parts, agent, turn);
    await reading;
    return run.end(parts.verdict.final());
  } catch (error) {
    return run.fail(error);
  }
}

async function readLines(parts: StreamParts): Promise<void> {
  const { stdin, signal } = parts.call.world;
  for await (const line of readInputLines(stdin, signal)) {
    if (line.text !== null && line.text.trim() === "") continue;
    const parsed = line.text === null ? { type: "refused" as const, problem: line.problem } : parseInputLine(line.text);
    if (parsed.type === "refused") refuse(parts, line, parsed.problem);
    else await follow(parts, line.number, parsed.input);
  }
}

function refuse({ run, verdict }: StreamParts, { number }: InputLine, problem: string): void {
  const message = `line ${number} of standard input: ${problem}. Nothing of it was done; the next line goes on.`;
  run.tell({ type: "error", line: number, code: "input_invalid", message });
  verdict.failed({ subtype: "error_input", exitCode: exitCodes.usage, message, code: "input_invalid" });
}

function follow(parts: StreamParts, line: number, input: StreamInput): Promise<void> | void {
  if (!isInterrupt(input)) return parts.queue.add({ line, wish: input, interruption: new AbortController() });
  const turn = parts.queue.first();
  turn?.interruption.abort();
  const isDone = turn !== undefined;
  const error = { code: "input_invalid", message: "There is no turn to interrupt: none runs, and none waits." };
  respond(parts, input.request_id, isDone ? null : error);
}

function isInterrupt(input: StreamInput): input is Exclude<StreamInput, Wish> {
  return input.type === "control_request" && input.request.subtype === "interrupt";
}

function respond({ run }: StreamParts, request_id: string, error: { code: string; message: string } | null): void {
  const outcome = error === null ? { subtype: "success" as const } : { subtype: "error" as const, error };
  run.tell({ type: "control_response", request_id, ...outcome });
}

async function takeTurn(parts: StreamParts, agent: Agent, turn: QueuedTurn<Wish>): Promise<void> {
  const { run, verdict, call } = parts;
  const { line, wish, interruption } = turn;
  const signal = AbortSignal.any([call.world.signal, interruption.signal]);
  let begun = false;
  try {
    signal.throwIfAborted();
    const events = eventsOf(parts, agent, { wish, signal });
    const ended = await run.take(
      observed(events, () => {
        if (!begun && wish.type === "control_request") respond(parts, wish.request_id, null);
        begun = true;
      }),
    );
    verdict.ended(judgeTurn(ended));
  } catch (error) {
    const { code, message, exitCode } = describeFailure(error, { signal, hide: (text) => call.world.hide(text) });
    // What was refused before it began changed nothing; a decision is told so in its response.
    if (!begun && wish.type === "control_request") return respond(parts, wish.request_id, { code, message });
    run.tell({ type: "error", line, code, message: `line ${line} of standard input: ${message}` });
    const isInterrupted = code === "interrupted";
    const failure = { subtype: isInterrupted ? "error_interrupted" : "error_failed", exitCode, message, code } as const;
    if (isInterrupted) verdict.ended(failure);
    else verdict.failed(failure);
  }
}

function eventsOf(
  { limits }: StreamParts,
  agent: Agent,
  { wish, signal }: { readonly wish: Wish; readonly signal: AbortSignal },
): AsyncIterable<AgentEvent> {
  if (wish.type === "user") {
    const { content } = wish.message;
    const text = typeof content === "string" ? content : content.map((part) => part.text).join("\n");
    return agent.send(text, { ...limits, signal, files: wish.files ?? [] });
  }
  const { request } = wish;
  if (request.subtype === "deny") {
    const { reason } = request;
    return agent.deny(request.call_id, { ...limits, signal, ...(reason === undefined ? {} : { reason }) });
  }
  const { arguments: edited } = request;
  return agent.approve(request.call_id, { ...limits, signal, ...(edited === undefined ? {} : { arguments: edited }) });
}

/** The same events; `begun` is called at the turn's start. */
async function* observed(events: AsyncIterable<AgentEvent>, begun: () => void): AsyncGenerator<AgentEvent> {
  for await (const event of events) {
    if (event.type === "turn-start") begun();
    yield event;
  }
}
