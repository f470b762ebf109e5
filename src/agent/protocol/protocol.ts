// The difference between the two ways in which a model speaks and keeps the floor: a strategy, not a second loop.
// Invariant: a protocol is pure; it renders, describes and decides, and the loop acts.
import type { ModelRequest, ToolSpecification } from "../../llm/model.ts";
import type { Message, ToolCallPart } from "../../message/message.ts";
import type { StoredMessage } from "../../memory/records.ts";
import type { Tool } from "../../tool/tool.ts";
import type { Reworded } from "./reword.ts";

/** A message of the runtime's own, not yet stored. */
export interface EventDraft {
  readonly role: "user" | "assistant" | "tool";
  readonly content: Message["content"];
}

export interface ProtocolClock {
  readonly now: Date;
  readonly timeZone: string;
}

/**
 * What a person can tell the model in the runtime's name: `heartbeat` hands it control, `memory-warning` says that the window
 * is filling up.
 */
export type RaisedEvent = "heartbeat" | "memory-warning";

/** What a finished step tells the protocol. */
export interface StepSummary {
  readonly calls: readonly ToolCallPart[];
  readonly someCallFailed: boolean;
  /** The window has just passed the warning share. */
  readonly pressure: boolean;
}

/** What follows a step: an end, or another step after these events were appended. */
export type FollowUp = { readonly continues: boolean; readonly events: readonly EventDraft[] };

export interface ProtocolRules {
  readonly name: "native" | "heartbeat";
  /** Plain text of the model is for the user (`text`) or its own (`thought`). */
  readonly plainText: "text" | "thought";
  readonly toolChoice: NonNullable<ModelRequest["toolChoice"]>;
  /** Parameters that are the loop's: taken out of the arguments before a tool sees them. */
  readonly reservedParameters: readonly string[];
  /** Of the compiled window, the system message included, how many messages `/pop` must leave. */
  readonly minMessages: number;
  /** The events of a new conversation. */
  boot(clock: ProtocolClock): readonly EventDraft[];
  /** How a stored message stands in the prompt. */
  render(message: StoredMessage, timeZone: string): Message;
  describe(tool: Tool): ToolSpecification;
  /** What the user sees of a call that succeeded: the text of send_message. */
  visibleText(call: ToolCallPart): string;
  /** What people saw of a whole message: what recall searches. */
  shownText(message: Message): string;
  followUp(step: StepSummary, clock: ProtocolClock): FollowUp;
  /** The event as the model is sent it. */
  raised(event: RaisedEvent, clock: ProtocolClock): EventDraft;
  /** A reply that says something else to the user; null when it says nothing. */
  rewritten(content: Message["content"], text: string): Reworded | null;
  /** A reply that thinks something else to itself; null when it has no thought. */
  rethought(content: Message["content"], text: string): Reworded | null;
}
