// What a chat is opened with, and what the screen asks of it.
// Invariant: types only; `create-chat.ts` makes a Chat.
import type { Key } from "ink";
import type { Clock } from "../base/clock.ts";
import type { ScreenSize, ViewState } from "./chat-view.ts";
import type { Agent, Runtime } from "./runtime-records.ts";

export interface ChatSession {
  readonly runtime: Runtime;
  readonly agent: Agent;
  readonly version: string;
  /** One line for the welcome, such as how to get a real model. */
  readonly notice?: string;
  /** Whether colours may be used; weight is used in any case. */
  readonly color: boolean;
  /** Aborted when another process asks the chat to leave. */
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  readonly stdin?: NodeJS.ReadStream;
  readonly stdout?: NodeJS.WriteStream;
}

export interface Chat {
  getState(): ViewState;
  subscribe(listener: () => void): () => void;
  handleKey(input: string, key: Key): void;
  resize(size: ScreenSize): void;
  /** The conversation that the chat is in now. */
  conversationId(): string;
}
