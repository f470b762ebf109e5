// Runs a slash command, and turns what it throws into something to show.
// Invariant: an interruption is thrown on: whoever began the work tells it.
import { failureItem } from "./advice.ts";
import type { CommandContext, CommandOutcome } from "./commands/command.ts";
import { commands, findCommand, type TypedCommand, unknownCommand } from "./commands/registry.ts";

/** What came of it; of an unknown command and of one that failed, why. */
export async function runCommand(
  { name, argument }: TypedCommand,
  context: Omit<CommandContext, "argument" | "commands">,
): Promise<CommandOutcome> {
  const command = findCommand(name);
  if (command === undefined) return unknownCommand(name);
  try {
    return await command.run({ ...context, argument, commands });
  } catch (error) {
    if (context.signal.aborted) throw error;
    return { items: [failureItem(error, "command")], effect: { type: "stop" } };
  }
}
