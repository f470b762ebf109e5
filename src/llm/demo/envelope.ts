// The JSON envelopes of the heartbeat protocol: events in user messages, and results of tools.
// Invariant: text that is no envelope is taken as it is, as said by the user or returned by the tool.
import { parseJson } from "./search-results.ts";

/** What a user message stands for. */
export interface Event {
  readonly kind: "said" | "login" | "heartbeat" | "alert";
  readonly text: string;
  /** The day in the envelope, `YYYY-MM-DD`. */
  readonly day: string | undefined;
}

const kinds: Readonly<Record<string, Event["kind"]>> = {
  user_message: "said",
  login: "login",
  heartbeat: "heartbeat",
  system_alert: "alert",
};

/** How the runtime's own plain-text messages begin: a summary in the place of messages, and a warning. */
const runtimeNotes: readonly string[] = ["Note: prior messages (", "[System alert:"];

/** Reads a user message: an envelope, the runtime's note about hidden messages, or plain words. */
export function readEvent(text: string, protocol: "native" | "heartbeat"): Event {
  const fields = protocol === "heartbeat" ? readObject(text) : undefined;
  const kind = typeof fields?.["type"] === "string" ? kinds[fields["type"]] : undefined;
  if (fields !== undefined && kind !== undefined) {
    const said = fields["message"];
    return { kind, text: typeof said === "string" ? said : "", day: readDay(fields["time"]) };
  }
  const isNote = runtimeNotes.some((opening) => text.startsWith(opening));
  return { kind: isNote ? "alert" : "said", text, day: undefined };
}

/** Reads the result of a tool in the heartbeat protocol. */
export function readResult(text: string): { readonly failed: boolean; readonly text: string } {
  const fields = readObject(text);
  if (fields === undefined || (fields["status"] !== "OK" && fields["status"] !== "Failed"))
    return { failed: false, text };
  const message = fields["message"];
  return {
    failed: fields["status"] === "Failed",
    text:
      typeof message === "string"
        ? message
        : message === null || message === undefined
          ? "None"
          : JSON.stringify(message),
  };
}

/** A JSON object as its fields, or undefined if the text is not one. */
export function readObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const parsed = text.trimStart().startsWith("{") ? parseJson(text) : undefined;
  return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
    ? (parsed as Record<string, unknown>)
    : undefined;
}

function readDay(time: unknown): string | undefined {
  return typeof time === "string" ? /\d{4}-\d{2}-\d{2}/.exec(time)?.[0] : undefined;
}
