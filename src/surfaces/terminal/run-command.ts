// Runs a slash command and converts its errors to displayable items.
// Invariant: an abort is rethrown; the caller reports it.
import { failureItem } from "./advice.ts";
import type { CommandContext, CommandOutcome } from "./commands/command.ts";
import { runServerPrompt } from "./commands/mcp.ts";
import { runOwnCommand } from "./commands/own-command.ts";
import { commandTopics, findCommand, type TypedCommand, unknownCommand } from "./commands/registry.ts";

/** Returns the command's outcome; for an unknown or failed command, the reason. */
export async function runCommand(
  { name, argument }: TypedCommand,
  context: Omit<CommandContext, "argument" | "topics">,
): Promise<CommandOutcome> {
  const command = findCommand(name);
  const whole = { ...context, argument, topics: commandTopics };
  try {
    if (command !== undefined) return await command.run(whole);
    const sent = name.includes(":") ? await runServerPrompt(name, whole) : await runOwnCommand(name, whole);
    return sent ?? unknownCommand(name);
  } catch (error) {
    if (context.signal.aborted) throw error;
    return { items: [failureItem(error, "command")], effect: { type: "stop" } };
  }
}
