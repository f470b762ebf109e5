// The type of a command, and of the call that it receives.
import type { Runtime } from "../../runtime/runtime.ts";
import type { FlagName } from "./parse/flags.ts";
import type { CommandLine } from "./parse/parse-command-line.ts";
import type { World } from "./world.ts";

export interface Command {
  /** The words of the command: one word, or a topic and a verb. */
  readonly words: readonly [string] | readonly [string, string];
  /** An alias of the verb. */
  readonly alias?: string;
  /** The arguments, for help: `LABEL TEXT`. Brackets mark optional ones. */
  readonly usage: string;
  /** One line without a full stop. */
  readonly summary: string;
  /** Details, for the command's own help. */
  readonly details?: string;
  /** Flags besides the common ones. */
  readonly flags: readonly FlagName[];
  /** The flags whose value is optional. */
  readonly bare?: readonly FlagName[];
  /** Minimum and maximum number of arguments. */
  readonly takes: { readonly min: number; readonly max: number };
  /** The command handles the world's signal, so that a turn can end in order; other commands are ended at once. */
  readonly handlesAbort?: true;
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
  /** Resolves when the store begins to open: what is loaded before that delays it. */
  readonly opening: Promise<void>;
}

/** The default agent. */
export const defaultAgent = "main";
