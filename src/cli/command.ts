// What a command is, and what it is handed when it runs.
import type { Runtime } from "../runtime/runtime.ts";
import type { FlagName } from "./parse/flags.ts";
import type { CommandLine } from "./parse/parse-command-line.ts";
import type { World } from "./world.ts";

export interface Command {
  /** The words that call it: one, or a topic and a verb. */
  readonly words: readonly [string] | readonly [string, string];
  /** Another word for the verb, by which it can be called as well. */
  readonly alias?: string;
  /** What comes after the words, for help: `LABEL TEXT`. Brackets mark what may be left out. */
  readonly usage: string;
  /** One line without a full stop. */
  readonly summary: string;
  /** More, for the command's own help. */
  readonly details?: string;
  /** Flags besides the common ones. */
  readonly flags: readonly FlagName[];
  /** Those of them that may be given without their value. */
  readonly bare?: readonly FlagName[];
  /** How many words it takes after its own. */
  readonly takes: { readonly min: number; readonly max: number };
  /** It heeds the world's signal, so that a turn can leave things in order; others are left where they stand. */
  readonly stopsItself?: true;
  /** Resolves to the exit code. Throws RuntimeError. */
  run(call: CommandCall): Promise<number>;
}

/** One call of a command. */
export interface CommandCall {
  readonly world: World;
  readonly line: CommandLine;
  /** The words after the command's own. */
  readonly words: readonly string[];
  /** `--agent`, or the default agent. */
  readonly agent: string;
  /** Opens the runtime on first use; it is closed when the command has ended. */
  runtime(): Promise<Runtime>;
}

/** The agent that is meant when none is named. */
export const defaultAgent = "main";
