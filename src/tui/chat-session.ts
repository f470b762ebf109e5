// What a chat is opened with, and what the screen asks of it.
// Invariant: types only; `create-chat.ts` makes a Chat.
import type { Key } from "ink";
import type { ChatHost } from "./chat-host.ts";
import type { Errand } from "./errands.ts";
import type { Clock } from "../base/clock.ts";
import type { FileInput } from "../message/file-part.ts";
import type { ThemeName } from "./rows/theme.ts";
import type { ScreenSize, ViewState } from "./view/chat-view.ts";
import type { Agent, Runtime } from "./runtime-records.ts";

/** A file that goes with the next message, and how it is shown. */
export interface QueuedFile {
  readonly input: FileInput;
  readonly label: string;
}

/** Files of the person's, as text. */
export interface TextFiles {
  /** Throws ConfigError for what cannot be read, or is no text. */
  read(path: string): Promise<string>;
  /** Throws ConfigError for one that is there already, or cannot be written. */
  create(path: string, text: string): Promise<void>;
}

export interface ChatSession {
  readonly runtime: Runtime;
  readonly agent: Agent;
  readonly version: string;
  /** One line for the welcome, such as how to get a real model. */
  readonly notice?: string;
  /** Files that go with the first message. */
  readonly files?: readonly QueuedFile[];
  /** What is worked on first, as if it had been typed. */
  readonly firstInput?: string;
  /** Whether colours may be used; weight is used in any case. */
  readonly color: boolean;
  /** Absent where a chat may not reach any. */
  readonly textFiles?: TextFiles;
  /** Hands a sequence for the clipboard to the terminal. Absent where it is known to take none. */
  readonly writeClipboard?: (sequence: string) => void;
  /** Default `auto`: by what the terminal says. */
  readonly theme?: ThemeName | "auto";
  /** What the terminal says of its colours, as COLORFGBG has it. */
  readonly colorFgBg?: string;
  /** Aborted when another process asks the chat to leave. */
  readonly signal?: AbortSignal;
  /** Absent where nothing but the screen is there. */
  readonly host?: ChatHost;
  readonly clock?: Clock;
  readonly stdin?: NodeJS.ReadStream;
  readonly stdout?: NodeJS.WriteStream;
}

export interface Chat {
  getState(): ViewState;
  /** Calls the listener when the screen is to be drawn anew. Returns a function that ends the subscription. */
  subscribe(listener: () => void): () => void;
  handleKey(input: string, key: Key): void;
  resize(size: ScreenSize): void;
  /** Draws all that fits the screen anew, also after the terminal was away. */
  redraw(size: ScreenSize): void;
  /** What the chat is away for; null when it has left. */
  takeErrand(): Errand | null;
  now(): Date;
  /** The conversation that the chat is in now. */
  conversationId(): string;
}
