// Commands as entries of a table, and the call that a command receives.
// Invariant: the words, arguments, flags and help of a command are in its entry and nowhere else.
import type { TextPiece } from "../../base/search-view/search-pieces.ts";
import type { OptionsArgument } from "../../runtime/contract.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { type FlagName, storeFlags } from "./parse/flags.ts";
import type { CommandLine } from "./parse/parse-command-line.ts";
import type { World } from "./world.ts";

export interface CommandEntry {
  /** An alias of the verb. */
  readonly alias?: string;
  /** The arguments, for help and for their number: `LABEL [TEXT]`. Brackets mark optional ones. */
  readonly usage?: string;
  /** One line without a full stop. */
  readonly summary: string;
  /** Details, for the command's own help. */
  readonly details?: string;
  /** Flags besides the common ones; those of the store follow them. */
  readonly flags?: readonly FlagName[];
  /** The command does not open the store: it has no other flags than `flags`. */
  readonly withoutStore?: true;
  /** The flags whose value is optional. */
  readonly bare?: readonly FlagName[];
  /** Minimum and maximum number of arguments, if `usage` does not say it. */
  readonly takes?: { readonly min: number; readonly max: number };
  /** The command handles the world's signal, so that a turn can end in order; other commands are ended at once. */
  readonly handlesAbort?: true;
  /** The options that KEY and VALUE of `usage` set. Loaded when the command runs, and for its help. */
  readonly pairs?: () => Promise<OptionsArgument>;
  /**
   * Resolves to what is printed, or to the exit code of a command that has printed it. `first` and `second` are arguments; absent
   * ones are undefined. Throws RuntimeError.
   */
  run(call: CommandCall, first: string, second: string): Promise<Result | number>;
}

export interface Command extends CommandEntry {
  /** One word, or a topic and a verb. */
  readonly words: readonly string[];
  readonly usage: string;
  /** All flags besides the common ones. */
  readonly flags: readonly FlagName[];
  readonly takes: { readonly min: number; readonly max: number };
}

/** What a command prints. */
export interface Result {
  /** Absent in a command without `--json`. */
  readonly json?: unknown;
  readonly text: string | readonly TextPiece[];
  /** Default 0. */
  readonly exitCode?: number;
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

/** Returns the commands of a table, whose keys are their words. */
export function commandTable(entries: Readonly<Record<string, CommandEntry>>): readonly Command[] {
  return Object.entries(entries).map(([words, entry]) => {
    const { usage = "", flags = [], withoutStore = false, takes = countOf(usage) } = entry;
    return { ...entry, words: words.split(" "), usage, takes, flags: withoutStore ? flags : [...flags, ...storeFlags] };
  });
}

/** `LABEL [TEXT] --yes` takes one argument or two: what follows the first flag is none. */
function countOf(usage: string): Command["takes"] {
  const words = (usage.split(/\[?--/u)[0] ?? "").split(" ").filter((word) => word !== "");
  return { min: words.filter((word) => !word.startsWith("[")).length, max: words.length };
}
