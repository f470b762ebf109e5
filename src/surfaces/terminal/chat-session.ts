// Declares the options of a terminal chat.
// Invariant: types only.
import type { ChatHost } from "./chat-host.ts";
import type { Clock } from "../../base/clock.ts";
import type { FileInput } from "../../base/message/file-part.ts";
import type { ThemeName } from "./rows/theme.ts";
import type { Agent, Runtime } from "./runtime-records.ts";

/** A file to attach to a message, and its label on the screen. */
export interface QueuedFile {
  readonly input: FileInput;
  readonly label: string;
}

/** Access to the user's files, as text. */
export interface TextFiles {
  /** Returns the text of a file. Throws ConfigError for a file that cannot be read or is not text. */
  read(path: string): Promise<string>;
  /** Creates a file with a text. Throws ConfigError for a file that exists or cannot be written. */
  create(path: string, text: string): Promise<void>;
}

export interface ChatSession {
  readonly runtime: Runtime;
  readonly agent: Agent;
  readonly version: string;
  /** The command that starts Palimpsest, for hints. Default `palimpsest`. */
  readonly command?: string;
  /** A line to show in the welcome, for example a hint how to configure a model. */
  readonly notice?: string;
  /** Files attached to the first message. */
  readonly files?: readonly QueuedFile[];
  /** An input that is processed first, as if it had been typed. */
  readonly firstInput?: string;
  /** Whether colours may be used; bold and dim are always used. */
  readonly color: boolean;
  /** Absent if the chat has no access to files. */
  readonly textFiles?: TextFiles;
  /** Sends a clipboard sequence to the terminal. Absent if the terminal is known to ignore it. */
  readonly writeClipboard?: (sequence: string) => void;
  /** Default `auto`: follows COLORFGBG until the terminal reports its background colour, and then follows that colour. */
  readonly theme?: ThemeName | "auto";
  /** Whether the bell rings when a turn ends. Default false. */
  readonly hasBell?: boolean;
  /** The sequence that notifies the desktop when a turn ends while the terminal has no focus. Default `off`: none. */
  readonly notification?: "off" | "osc9" | "osc777";
  /** The key bindings of the prompt. Default `emacs`. */
  readonly editorKeys?: "emacs" | "vim";
  /** Whether links are written as OSC 8. Default true. */
  readonly hasLinks?: boolean;
  /** Whether the chat sets the terminal's title. Default false. */
  readonly hasTitle?: boolean;
  /** The value of the environment variable COLORFGBG. */
  readonly colorFgBg?: string;
  /** Aborted when another process asks the chat to exit. */
  readonly signal?: AbortSignal;
  /** Absent if the chat cannot run programs or read files. */
  readonly host?: ChatHost;
  readonly clock?: Clock;
  readonly stdin?: NodeJS.ReadStream;
  readonly stdout?: NodeJS.WriteStream;
}
