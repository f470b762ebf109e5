// Runs a slash command of the chat, of an MCP server or of the user, and converts its errors to displayable items.
// Invariant: an abort is rethrown; the caller reports it. A command of the chat is never replaced by one of the same name.
import { failureItem } from "./advice.ts";
import type { CommandContext, CommandOutcome } from "./commands/command.ts";
import { runServerPrompt } from "./commands/mcp.ts";
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

/** Returns the outcome that sends the text of the user's command with this name; null if there is no such command. */
export async function runOwnCommand(
  name: string,
  { argument, listCommands }: Pick<CommandContext, "argument" | "listCommands">,
): Promise<CommandOutcome | null> {
  const found = (await listCommands?.())?.find((one) => one.name === name);
  if (found === undefined) return null;
  return { items: [], effect: { type: "send", text: withArguments(found.text, argument), files: [] } };
}

/**
 * Returns the text with the arguments instead of `$ARGUMENTS`, and one word or quoted text of the arguments instead of
 * each of `$1` to `$9`. If the text has none of these, the arguments follow the text. Pure.
 */
export function withArguments(text: string, argument: string): string {
  const words = [...argument.matchAll(/"([^"]*)"|(\S+)/gu)].map(([, quoted, word]) => quoted ?? word ?? "");
  const filled = text.replaceAll(/\$(?:ARGUMENTS\b|([1-9])(?!\d))/gu, (_all, digit?: string) =>
    digit === undefined ? argument : (words[Number(digit) - 1] ?? ""),
  );
  return filled === text && argument !== "" ? `${text}\n\n${argument}` : filled;
}
