// Runs a slash command and converts its errors to displayable items.
// Invariant: an abort is rethrown; the caller reports it.
import { failureItem } from "./advice.ts";
import type { CommandContext, CommandOutcome } from "./commands/command.ts";
import { commandTopics, findCommand, type TypedCommand, unknownCommand } from "./commands/registry.ts";

/** Returns the command's outcome; for an unknown or failed command, the reason. */
export async function runCommand(
  { name, argument }: TypedCommand,
  context: Omit<CommandContext, "argument" | "topics">,
): Promise<CommandOutcome> {
  const command = findCommand(name);
  if (command === undefined) return unknownCommand(name);
  try {
    return await command.run({ ...context, argument, topics: commandTopics });
  } catch (error) {
    if (context.signal.aborted) throw error;
    return { items: [failureItem(error, "command")], effect: { type: "stop" } };
  }
}
