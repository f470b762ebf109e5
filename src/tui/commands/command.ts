// What a slash command is: an object with a name, an explanation and a function from a context to things to show.
// Invariant: a command changes the chat only through its outcome; it draws nothing by itself.
import type { AgentEvent } from "../../agent/events.ts";
import type { QueuedFile, TextFiles } from "../chat-session.ts";
import type { Dialog } from "../dialogs/dialog.ts";
import type { Agent, Runtime } from "../runtime-records.ts";
import type { ThemeName } from "../rows/theme.ts";
import type { ViewItem } from "../view/view-item.ts";

export interface CommandContext {
  readonly runtime: Runtime;
  readonly agent: Agent;
  /** What stands after the command's name, trimmed. */
  readonly argument: string;
  /** Those that go with the next message. */
  readonly files: readonly QueuedFile[];
  /** Absent where a chat may not reach any. */
  readonly textFiles?: TextFiles;
  /** Hands a sequence for the clipboard to the terminal. Absent where the terminal is known to take none. */
  readonly writeClipboard?: (sequence: string) => void;
  /** All commands, for help. */
  readonly commands: readonly Command[];
  /** Shows a dialog until the user has chosen something in it; null when it was closed without. */
  open<Result>(dialog: Dialog<Result>): Promise<Result | null>;
  now(): Date;
  readonly signal: AbortSignal;
}

/** What the chat does after a command. */
export type CommandEffect =
  | { readonly type: "leave" }
  /** It failed: inputs that wait go back to the editor. */
  | { readonly type: "stop" }
  /** Draws with other colours from now on. */
  | { readonly type: "theme"; readonly name: ThemeName }
  /** Turns multi-line input on or off. */
  | { readonly type: "multiline" }
  /** Goes on with another conversation. */
  | { readonly type: "open"; readonly agent: Agent }
  /** From now on, these go with the next message. */
  | { readonly type: "files"; readonly files: readonly QueuedFile[] }
  /** Runs a turn. */
  | {
      readonly type: "turn";
      readonly begin: (options: { readonly signal: AbortSignal }) => AsyncGenerator<AgentEvent, void>;
    };

export interface CommandOutcome {
  readonly items: readonly ViewItem[];
  readonly effect?: CommandEffect;
}

export interface Command {
  readonly name: string;
  /** As it is typed: `/pop [N]`. */
  readonly usage: string;
  readonly summary: string;
  /** For docs/cli.md, where it says more than the summary does; Markdown. */
  readonly manual?: string;
  /** Can be run while the agent works; the others wait for the end of the turn. */
  readonly isAlwaysReady: boolean;
  run(context: CommandContext): Promise<CommandOutcome>;
}

/** One notice and nothing else. */
export function noteOutcome(text: string, advice?: string): CommandOutcome {
  return { items: [{ kind: "notice", level: "note", text, ...(advice === undefined ? {} : { advice }) }] };
}

/** A refusal: what was expected, and nothing done. */
export function refusalOutcome(text: string, advice?: string): CommandOutcome {
  return { items: [{ kind: "notice", level: "failure", text, ...(advice === undefined ? {} : { advice }) }] };
}
