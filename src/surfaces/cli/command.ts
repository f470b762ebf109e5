// Defines commands as entries of a table, and the call that a command receives.
// Invariant: the words, arguments, flags and help of a command are in its entry and nowhere else.
import type { TextPiece } from "../../base/search-view/search-pieces.ts";
import type { OptionsArgument } from "../../runtime/contract.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { creationFlags, type FlagName, storeFlags, toolFlags } from "./parse/flags.ts";
import type { CommandLine } from "./parse/parse-command-line.ts";
import type { World } from "./world.ts";

export interface CommandEntry {
  /** An alias of the verb. */
  readonly alias?: string;
  /** The arguments as help shows them, such as `LABEL [TEXT]`. Brackets mark optional arguments. */
  readonly usage?: string;
  /** One line without a full stop. */
  readonly summary: string;
  /** Details, for the command's own help. */
  readonly details?: string;
  /** Flags of the command besides the common ones. Unless `withoutStore` is set, the flags of the store are added. */
  readonly flags?: readonly FlagName[];
  /** Set for a command that takes the flags of models, new agents and tools. Only the chat's help lists these flags. */
  readonly takesSettings?: true;
  /** Set for a command that does not open the store and therefore has no flags of the store. */
  readonly withoutStore?: true;
  /** The command's flags that can be given without a value. */
  readonly bare?: readonly FlagName[];
  /** Minimum and maximum number of arguments. By default, the arguments in `usage` are counted. */
  readonly takes?: { readonly min: number; readonly max: number };
  /** Set for a command that ends its turn in order when `world.signal` is aborted. Other commands end at once. */
  readonly handlesAbort?: true;
  /** Loads the contract of the options that the arguments KEY and VALUE set. Called for the command's help. */
  readonly pairs?: () => Promise<OptionsArgument>;
  /**
   * Runs the command. Resolves to the result to print, or to the exit code if the command has printed its result. `first` and
   * `second` are the first two arguments; undefined if not given. Throws RuntimeError.
   */
  run(call: CommandCall, first: string, second: string): Promise<Result | number>;
}

export interface Command extends CommandEntry {
  /** The words that call the command: one word, such as `chat`, or a topic and a verb, such as `agents list`. */
  readonly words: readonly string[];
  readonly usage: string;
  /** All flags besides the common ones. */
  readonly flags: readonly FlagName[];
  readonly takes: { readonly min: number; readonly max: number };
}

/** What a command prints. */
export interface Result {
  /** The value for `--json`; absent in a command without this flag. */
  readonly json?: unknown;
  readonly text: string | readonly TextPiece[];
  /** The exit code of the command. Default 0. */
  readonly exitCode?: number;
}

export interface CommandCall {
  readonly world: World;
  readonly line: CommandLine;
  /** The arguments: the words after those that name the command. */
  readonly words: readonly string[];
  /** `--agent`, or the default agent. */
  readonly agent: string;
  /** Returns the runtime, opened by the first call; it is closed when the command has ended. */
  runtime(): Promise<Runtime>;
  /** Runs another command with the same flags, without arguments and notices. Returns the text that it would print. */
  printOf(words: string): Promise<string>;
  /** Writes a line of a runtime's log to stderr, or to the listener of `divertLog`. */
  log(line: string): void;
  /** Passes the log to a listener from now on; null: to stderr. */
  divertLog(listener: ((line: string) => void) | null): void;
  /** Resolves when the store has begun to open. Code that a command imports earlier delays the opening. */
  readonly opening: Promise<void>;
}

export const defaultAgent = "main";

/** The flags that `takesSettings` adds to a command. */
export const settingsOfRuns: readonly FlagName[] = [...creationFlags, ...toolFlags];

/** Returns the commands of a table. The key of an entry is the words of its command, such as `agents list`. */
export function commandTable(entries: Readonly<Record<string, CommandEntry>>): readonly Command[] {
  return Object.entries(entries).map(([words, entry]) => {
    const { usage = "", withoutStore = false, takes = countOf(usage) } = entry;
    const own = [...(entry.flags ?? []), ...(entry.takesSettings ? settingsOfRuns : [])];
    const flags = withoutStore ? own : [...own, ...storeFlags];
    return { ...entry, words: words.split(" "), usage, takes, flags };
  });
}

/** Returns the number of arguments: 1 to 2 for `LABEL [TEXT] --yes`. Words from the first flag on are not counted. */
function countOf(usage: string): Command["takes"] {
  const words = (usage.split(/\[?--/u)[0] ?? "").split(" ").filter((word) => word !== "");
  return { min: words.filter((word) => !word.startsWith("[")).length, max: words.length };
}
