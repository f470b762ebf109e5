// The words after a command, and texts that may come from standard input in their place.
import { ConfigError } from "../../errors.ts";
import type { CommandCall } from "../command.ts";
import { readInput } from "./read-text.ts";

/** A word that the registry has counted already, so that it is there. */
export function wordAt(call: CommandCall, index: number): string {
  return call.words[index] ?? "";
}

/** What to search for. Throws ConfigError when it is blank. */
export function queryAt(call: CommandCall, index: number): string {
  const query = wordAt(call, index);
  if (query.trim() === "") throw new ConfigError("The query is empty: write what to look for, in quotes.");
  return query;
}

/** A text for memory: the word itself, or standard input for `-`. Throws ConfigError when it is blank. */
export async function textAt(call: CommandCall, index: number): Promise<string> {
  const word = wordAt(call, index);
  if (word !== "-") return word;
  return (await readInput(call.world.stdin, call.world.signal)).trimEnd();
}

/** As `textAt`, but there must be something in it. */
export async function filledTextAt(call: CommandCall, index: number): Promise<string> {
  const text = await textAt(call, index);
  if (text.trim() === "") throw new ConfigError("The text is empty: there is nothing to keep.");
  return text;
}
