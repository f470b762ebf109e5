// Parses `--keep-memory` and `--force`, which decide about memory edits when messages are removed.
import type { RevertMode } from "../../../agent/agent.ts";
import { type CommandOutcome, refusalOutcome } from "./command.ts";

export interface ChosenMemory {
  readonly memory: RevertMode;
  /** The other words of the argument. */
  readonly words: readonly string[];
}

const choices: Readonly<Record<string, RevertMode>> = { "--keep-memory": "keep", "--force": "force" };

/** Reads a command's argument; a refusal when a flag is unknown or both were given. */
export function chosenMemory(argument: string, usage: string): ChosenMemory | CommandOutcome {
  const typed = argument.split(/\s+/).filter((word) => word !== "");
  const flags = new Set(typed.filter((word) => word.startsWith("--")));
  const unknown = [...flags].find((flag) => choices[flag] === undefined);
  if (unknown !== undefined) return refusalOutcome(`Unknown flag ${unknown}.`, usage);
  if (flags.size > 1) return refusalOutcome("Expected one of --keep-memory and --force, got both.", usage);
  const [flag] = flags;
  const memory = flag === undefined ? undefined : choices[flag];
  return { memory: memory ?? "revert", words: typed.filter((word) => !word.startsWith("--")) };
}
