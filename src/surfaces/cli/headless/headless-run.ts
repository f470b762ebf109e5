// Runs the turns of a headless run, and reports them on stdout and stderr in one of three formats.
// Invariant: stdout receives only results; with a JSON format it ends with one `result`, also on failure. The
// `sequence` of a record counts the written lines, from 0 without a gap, and replaces the event's own `sequence`.
import type { AgentEvent } from "../../../agent/events.ts";
import { type TurnState, withReplies } from "../../../agent/fold-turn.ts";
import { systemClock } from "../../../base/clock.ts";
import type { StreamRecord } from "../../stream/headless/stream-record.ts";
import { surfaceText } from "../../surface-words.ts";
import type { CommandCall } from "../command.ts";
import { eventNotices } from "./event-notice.ts";
import { exitCodes } from "../exit-codes.ts";
import { describeFailure, reportFailure } from "../failure.ts";
import { initRecord, type Outcome, resultRecord } from "./headless-records.ts";
import { demoNotice } from "../open-agent.ts";
import type { OutputFormat } from "./headless-flags.ts";
import { notice, printError, printJson, printText } from "../print.ts";
import type { Agent } from "../runtime-records.ts";
import { addTurn, emptyRun, noTimedTurn, timeEvent } from "./run-record.ts";
import type { Verdict } from "./turn-verdict.ts";

/** A record without `sequence`, which the run assigns. */
type UnnumberedRecord = StreamRecord extends infer Each
  ? Each extends unknown
    ? Omit<Each, "sequence">
    : never
  : never;

/** Yields the events of a turn. If the turn pauses for another agent's reply, also yields the events after this reply. */
export function withLater(
  call: CommandCall,
  agent: Agent,
  { events, signal }: { readonly events: AsyncIterable<AgentEvent>; readonly signal: AbortSignal },
): AsyncIterable<AgentEvent> {
  const turns = { find: async (id: string) => (await call.runtime()).turns.find(id) };
  return withReplies({ agent, turns }, events, (ms) =>
    systemClock.sleep(ms, signal).then(
      () => true,
      (reason: unknown) => {
        // An interruption of the turn alone, not of the run, ends only the wait, because the turn's message is stored.
        if (call.world.signal.aborted) throw reason;
        return false;
      },
    ),
  );
}

export function createHeadlessRun(call: CommandCall, format: OutputFormat) {
  const { world } = call;
  const started = world.now();
  const isEphemeral = call.line.switches.has("ephemeral");
  let agent: Agent | null = null;
  let run = emptyRun;
  let sequence = 0;

  const write = (record: UnnumberedRecord): void => {
    // The fields that identify a record come first in its line.
    const first = { type: record.type, sequence };
    printJson(world, { ...first, ...record, sequence });
    sequence += 1;
  };
  const report = (record: UnnumberedRecord): void => {
    if (format === "stream-json") write(record);
  };
  const reportEvent = (event: AgentEvent): void => {
    if (isPrinted(call, event)) report(event);
    if (format === "text") for (const line of eventNotices(event)) notice(call, line);
  };
  const reportResult = (subtype: Verdict["subtype"], error: Outcome["error"]): void => {
    if (format === "text") return;
    write(resultRecord({ agent, run, durationMs: world.now() - started, subtype, error }));
  };

  return {
    /** Reports the opened agent. If its model is the demo model, a notice on stderr says so. */
    begin(opened: Agent): void {
      agent = opened;
      const demo = demoNotice(opened, call.world.command);
      if (demo !== undefined) notice(call, demo);
      report(initRecord(opened, world.version, isEphemeral));
    },
    /**
     * Runs a turn to its end and returns its outcome. The signal ends the wait for another agent's reply. Throws the turn's
     * error, after it has counted the turn's usage.
     */
    async take(events: AsyncIterable<AgentEvent>, signal = world.signal): Promise<TurnState> {
      let timed = noTimedTurn;
      try {
        for await (const raw of agent === null ? events : withLater(call, agent, { events, signal })) {
          const event = wordedEvent(raw, world.command);
          timed = timeEvent(timed, event, world.now());
          reportEvent(event);
        }
      } finally {
        run = addTurn(run, timed);
      }
      return timed.turn;
    },
    /** Writes a line of stream-json; the other formats ignore it. */
    report,
    /** Prints the result of a finished run and returns the exit code. */
    end(judged: Verdict): number {
      const verdict = isEphemeral && judged.exitCode === exitCodes.awaitingApproval ? lostCall(judged) : judged;
      reportResult(verdict.subtype, errorOf(verdict));
      const text = run.last.end?.text ?? "";
      if (format === "text" && text.trim() !== "") printText(world, text);
      if (verdict.message !== undefined) printError(world, verdict.message);
      return verdict.exitCode;
    },
    /** Prints the error that ended a run as the run's result, and returns the exit code. */
    fail(error: unknown): number {
      const { code, message } = describeFailure(error, world);
      reportResult(code === "interrupted" ? "error_interrupted" : "error_failed", { code, message });
      return reportFailure(world, error);
    },
  };
}

export type HeadlessRun = ReturnType<typeof createHeadlessRun>;

/** Returns the verdict without the advice to approve the call, which was deleted with its ephemeral conversation. */
function lostCall(verdict: Verdict): Verdict {
  const message = "a tool call needs approval, which cannot be given with --ephemeral: the call was discarded";
  return { ...verdict, message };
}

function errorOf({ message, code, subtype }: Verdict): Outcome["error"] {
  return message === undefined ? null : { code: code ?? subtype.replace(/^error_/u, ""), message };
}

function isPrinted(call: CommandCall, event: AgentEvent): boolean {
  if (event.type !== "text-delta" && event.type !== "thought-delta") return true;
  return call.line.switches.has("include-partial-messages");
}

/** Returns the event with its error, its warning or its reason for a retry in the words of the command line. */
function wordedEvent(event: AgentEvent, command: string): AgentEvent {
  const worded = (text: string): string => surfaceText(text, "command-line", command);
  switch (event.type) {
    case "warning":
      return { ...event, message: worded(event.message) };
    case "retry":
      return { ...event, reason: worded(event.reason) };
    case "turn-end":
      if (event.error === undefined) return event;
      return { ...event, error: { ...event.error, message: worded(event.error.message) } };
    default:
      return event;
  }
}
