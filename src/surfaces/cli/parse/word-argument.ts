// The arguments of a command, and texts that `-` reads from standard input.
import { ConfigError } from "../../../base/errors.ts";
import type { CommandCall } from "../command.ts";
import { readInput } from "./read-text.ts";

/** An argument that exists, since the registry has checked their number. */
export function wordAt(call: CommandCall, index: number): string {
  return call.words[index] ?? "";
}

/** The query. Throws ConfigError when it is blank. */
export function queryAt(call: CommandCall, index: number): string {
  const query = wordAt(call, index);
  if (query.trim() === "") throw new ConfigError("Expected a query, got an empty text. Write the query in quotes.");
  return query;
}

/** A text for memory: the word itself, or standard input for `-`. Throws ConfigError when it is blank. */
export async function textAt(call: CommandCall, index: number): Promise<string> {
  const word = wordAt(call, index);
  if (word !== "-") return word;
  return (await readInput(call.world.stdin, call.world.signal)).trimEnd();
}

/** Like `textAt`, but rejects a blank text. */
export async function filledTextAt(call: CommandCall, index: number): Promise<string> {
  const text = await textAt(call, index);
  if (text.trim() === "") throw new ConfigError("Expected a text to store, got an empty one.");
  return text;
}
