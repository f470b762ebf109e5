// Headless mode: one message, one turn, its result on stdout in one of three formats.
// Invariant: stdout gets the result and nothing else; with a JSON format it ends with a `result` line, also on failure.
import type { AgentEvent } from "../agent/events.ts";
import { ConfigError } from "../errors.ts";
import type { CommandCall } from "./command.ts";
import { eventNotice } from "./event-notice.ts";
import { describeFailure, reportFailure } from "./failure.ts";
import { demoNotice, openAgent } from "./open-agent.ts";
import { notice, printError, printJson, printText } from "./print.ts";
import { readInput } from "./read-text.ts";
import { failureLine, initLine, resultLine } from "./result-line.ts";
import type { Agent } from "./runtime-records.ts";
import { emptyTurn, recordEvent, type TurnRecord } from "./turn-record.ts";
import { judgeTurn } from "./turn-verdict.ts";

const formats = ["text", "json", "stream-json"] as const;
type Format = (typeof formats)[number];

/** What a headless turn is run on: its agent, and how it begins. */
export interface HeadlessTurn {
  readonly agent: Agent;
  readonly events: (signal: AbortSignal) => AsyncIterable<AgentEvent>;
}

/** Sends the prompt and returns the exit code. Throws ConfigError when the flags make no sense. */
export function runPrompt(call: CommandCall): Promise<number> {
  return runTurn(call, async () => {
    const text = await promptOf(call);
    const agent = await openAgent(call, "new");
    return { agent, events: (signal) => agent.send(text, { signal, files: filesOf(call) }) };
  });
}

/** Runs a turn and returns the exit code. Throws ConfigError when the flags make no sense. */
export async function runTurn(call: CommandCall, open: () => Promise<HeadlessTurn>): Promise<number> {
  const format = formatOf(call);
  const started = call.world.now();
  const attempt: Attempt = { agent: null, turn: emptyTurn };
  const outcome = (): Attempt & { durationMs: number } => ({ ...attempt, durationMs: call.world.now() - started });
  try {
    await takeTurn(call, { format, attempt, open });
  } catch (error) {
    if (format !== "text") printJson(call.world, failureLine(outcome(), describeFailure(error, call.world)));
    return reportFailure(call.world, error);
  }
  const verdict = judgeTurn(attempt.turn);
  if (format !== "text") printJson(call.world, resultLine(outcome(), verdict));
  else if (attempt.turn.text.trim() !== "") printText(call.world, attempt.turn.text);
  if (verdict.message !== undefined) printError(call.world, verdict.message);
  return verdict.exitCode;
}

/** How far it came: filled while the turn runs, so that a failure can tell it. */
interface Attempt {
  agent: Agent | null;
  turn: TurnRecord;
}

interface Taking {
  readonly format: Format;
  readonly attempt: Attempt;
  readonly open: () => Promise<HeadlessTurn>;
}

async function takeTurn(call: CommandCall, { format, attempt, open }: Taking): Promise<void> {
  const { world } = call;
  const { agent, events } = await open();
  attempt.agent = agent;
  const demo = demoNotice(agent);
  if (demo !== undefined) notice(call, demo);
  if (format === "stream-json") printJson(world, initLine(agent, world.version));
  for await (const event of events(world.signal)) {
    attempt.turn = recordEvent(attempt.turn, event);
    if (format === "stream-json" && isPrinted(call, event)) printJson(world, event);
    const told = format === "text" ? eventNotice(event) : undefined;
    if (told !== undefined) notice(call, told);
  }
}

/** What `--file` named. */
export function filesOf({ line }: CommandCall): readonly { readonly path: string }[] {
  return (line.lists.file ?? []).map((path) => ({ path }));
}

async function promptOf(call: CommandCall): Promise<string> {
  const { prompt = "-" } = call.line.texts;
  // With files, -p "" sends them alone.
  if (prompt.trim() === "" && call.line.lists.file !== undefined) return "";
  const isPiped = prompt === "-";
  // The line end that `echo` adds is not part of what was said.
  const text = isPiped ? (await readInput(call.world.stdin, call.world.signal)).replace(/\n+$/u, "") : prompt;
  if (text.trim() !== "") return text;
  const problem = isPiped ? "Standard input is empty" : "-p has an empty text";
  throw new ConfigError(
    `${problem}: there is nothing to send. Write palimpsest -p "your message", or pipe one into palimpsest -p -.`,
  );
}

function formatOf(call: CommandCall): Format {
  const given = call.line.texts["output-format"] ?? "text";
  const format = formats.find((name) => name === given);
  if (format === undefined) throw new ConfigError(`--output-format: expected ${formats.join(", ")}, got "${given}".`);
  if (format !== "stream-json" && call.line.switches.has("include-partial-messages")) {
    throw new ConfigError("--include-partial-messages needs --output-format stream-json.");
  }
  return format;
}

function isPrinted(call: CommandCall, event: AgentEvent): boolean {
  if (event.type !== "text-delta" && event.type !== "thought-delta") return true;
  return call.line.switches.has("include-partial-messages");
}
