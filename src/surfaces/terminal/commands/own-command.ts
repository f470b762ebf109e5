// The user's own commands, each a text from a file that is sent to the agent.
// Invariant: a command of the chat is never replaced by one of the same name.
import type { CommandContext, CommandOutcome } from "./command.ts";

/** Sends the text of the user's command with this name; null if there is none. */
export async function runOwnCommand(
  name: string,
  { argument, listCommands }: Pick<CommandContext, "argument" | "listCommands">,
): Promise<CommandOutcome | null> {
  const found = (await listCommands?.())?.find((one) => one.name === name);
  if (found === undefined) return null;
  return { items: [], effect: { type: "send", text: withArguments(found.text, argument), files: [] } };
}

/**
 * Returns the text with the arguments instead of `$ARGUMENTS`, and single words or quoted texts of them instead of `$1` to `$9`.
 * Arguments for which the text has no place follow it. Pure.
 */
export function withArguments(text: string, argument: string): string {
  const words = [...argument.matchAll(/"([^"]*)"|(\S+)/gu)].map(([, quoted, word]) => quoted ?? word ?? "");
  const filled = text.replaceAll(/\$(?:ARGUMENTS\b|([1-9])(?!\d))/gu, (_all, digit?: string) =>
    digit === undefined ? argument : (words[Number(digit) - 1] ?? ""),
  );
  return filled === text && argument !== "" ? `${text}\n\n${argument}` : filled;
}
