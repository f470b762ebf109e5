// Defines the interface of a protocol: how a model sends text and ends its turn. The loop is the same for both protocols.
// Invariant: a protocol is pure: it renders, describes and decides, and the loop acts.
import type { ModelRequest, ToolSpecification } from "../../model/llm/model.ts";
import type { Message, ToolCallPart } from "../../base/message/message.ts";
import type { StoredMessage } from "../../store/port/records.ts";
import type { Tool } from "../../tool/tool.ts";
import type { StopReason } from "../events.ts";
import type { Reworded } from "./reword.ts";

/** A message written by the runtime, not yet stored. */
export interface EventDraft {
  readonly role: "user" | "assistant" | "tool";
  readonly content: Message["content"];
}

export interface ProtocolClock {
  readonly now: Date;
  readonly timeZone: string;
}

/**
 * A runtime event that a user can raise: `heartbeat` gives the model control, `memory-warning` warns it that the window
 * is filling up.
 */
export type RaisedEvent = "heartbeat" | "memory-warning";

/** The facts about a finished step from which a protocol decides what follows. */
export interface StepSummary {
  readonly calls: readonly ToolCallPart[];
  readonly someCallFailed: boolean;
  /** Whether the reply is the turn's answer: it has text for the user, and its calls have only edited memory. */
  readonly isAnswer: boolean;
  /** Whether the window has just exceeded the warning threshold. Always false for a protocol that warns by a state entry. */
  readonly pressure: boolean;
  /** What the agent's tool rules demand; absent if they demand nothing. */
  readonly demand?: {
    /** Whether the model must be called again. */
    readonly continues: boolean;
    /** Tools that must be called before the turn may end. */
    readonly missing: readonly string[];
  };
}

/** What follows a step: the end of the turn, or another step after these events are appended. */
export interface FollowUp {
  readonly continues: boolean;
  readonly events: readonly EventDraft[];
  /** Why the turn ends, if a rule of the agent ends it. */
  readonly reason?: Extract<StopReason, "tool-rule">;
}

export interface ProtocolRules {
  readonly name: "native" | "heartbeat";
  /** Whether the model's plain text is for the user (`text`) or for itself (`thought`). */
  readonly plainText: "text" | "thought";
  readonly toolChoice: NonNullable<ModelRequest["toolChoice"]>;
  /**
   * How the model is warned that older messages will soon leave the window. `entry`: by a state entry in the request.
   * `event`: by a message after a reply, for which the model is called again.
   */
  readonly warnsBy: "entry" | "event";
  /** Parameters of tools that the loop reads, such as `request_heartbeat`; the tools do not receive them. */
  readonly reservedParameters: readonly string[];
  /** Minimum number of messages in the compiled window after `/pop`, including the system message. */
  readonly minMessages: number;
  /** Returns the messages with which a new conversation begins. */
  boot(clock: ProtocolClock): readonly EventDraft[];
  /** Returns a stored message as it is sent to the model. */
  render(message: StoredMessage, timeZone: string): Message;
  describe(tool: Tool): ToolSpecification;
  /** Returns the text that a successful call shows to the user: the text of send_message. */
  visibleTextOfCall(call: ToolCallPart): string;
  /** Returns the part of a message's text that people saw. Recall searches this text. */
  visibleTextOf(message: Message): string;
  followUp(step: StepSummary, clock: ProtocolClock): FollowUp;
  /** Returns the message that a raised event adds to the conversation. */
  raised(event: RaisedEvent, clock: ProtocolClock): EventDraft;
  /** Returns the content with another text for the user; null if it has no text for the user. */
  rewritten(content: Message["content"], text: string): Reworded | null;
  /** Returns the content with another thought; null if it has no thought. */
  rethought(content: Message["content"], text: string): Reworded | null;
}
