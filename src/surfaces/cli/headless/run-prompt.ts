// Headless mode: runs one turn for a message, or one turn per input line, and prints the result on stdout.
// Invariant: conflicting flags are refused before anything is opened.
import type { AgentEvent } from "../../../agent/events.ts";
import { ConfigError } from "../../../base/errors.ts";
import type { CommandCall } from "../command.ts";
import { inputFormatOf, outputFormatOf, turnLimitFlags, turnLimitsOf } from "./headless-flags.ts";
import { createHeadlessRun } from "./headless-run.ts";
import { filesOf, openAgent } from "../open-agent.ts";
import { readInput } from "../parse/read-text.ts";
import type { Agent } from "../runtime-records.ts";
import { judgeTurn } from "./turn-verdict.ts";

export interface HeadlessTurn {
  readonly agent: Agent;
  readonly events: (signal: AbortSignal) => AsyncIterable<AgentEvent>;
}

/** Sends the prompt, or all lines of the input, and returns the exit code. Throws ConfigError for conflicting flags. */
export async function runPrompt(call: CommandCall): Promise<number> {
  const limits = turnLimitsOf(call.line);
  if (inputFormatOf(call) === "stream-json") {
    const { runStreamInput } = await import("./run-stream-input.ts");
    return runStreamInput(call, limits);
  }
  return runHeadlessTurn(call, async () => {
    const text = await promptOf(call);
    const agent = await openAgent(call, { otherwise: "new", ofThisRun: turnLimitFlags });
    return { agent, events: (signal) => agent.send(text, { ...limits, signal, files: filesOf(call) }) };
  });
}

/** Runs a turn and returns the exit code. Throws ConfigError for conflicting flags. */
export async function runHeadlessTurn(call: CommandCall, open: () => Promise<HeadlessTurn>): Promise<number> {
  const run = createHeadlessRun(call, outputFormatOf(call));
  try {
    const { agent, events } = await open();
    run.begin(agent);
    return run.end(judgeTurn(await run.take(events(call.world.signal))));
  } catch (error) {
    return run.fail(error);
  }
}

async function promptOf(call: CommandCall): Promise<string> {
  const { prompt = "-" } = call.line.texts;
  // With files, -p "" sends the files without a text.
  if (prompt.trim() === "" && call.line.lists.file !== undefined) return "";
  const isPiped = prompt === "-";
  // The line end that `echo` adds is not part of the message.
  const text = isPiped ? withoutLineEnds(await readInput(call.world.stdin, call.world.signal)) : prompt;
  if (text.trim() !== "") return text;
  const problem = isPiped ? "Standard input is empty" : "-p is empty";
  throw new ConfigError(
    `Expected a message, got none: ${problem}. Write \`palimpsest -p "your message"\`, or pipe one into \`palimpsest -p -\`.`,
  );
}

// This is a loop, because a regular expression for trailing line ends takes quadratic time.
function withoutLineEnds(text: string): string {
  let end = text.length;
  while (text[end - 1] === "\n") end -= 1;
  return text.slice(0, end);
}
