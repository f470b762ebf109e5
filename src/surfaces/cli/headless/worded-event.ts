// Events with their texts in the words of the command line.
import type { AgentEvent } from "../../../agent/events.ts";
import { surfaceText } from "../../surface-words.ts";

/** Returns the event with its error, its warning or its reason for a retry as the command line says it. */
export function wordedEvent(event: AgentEvent, command: string): AgentEvent {
  const worded = (text: string): string => surfaceText(text, "command-line", command);
  switch (event.type) {
    case "warning":
      return { ...event, message: worded(event.message) };
    case "retry":
      return { ...event, reason: worded(event.reason) };
    case "turn-end":
      if (event.error === undefined) return event;
      return { ...event, error: { ...event.error, message: worded(event.error.message) } };
    default:
      return event;
  }
}
