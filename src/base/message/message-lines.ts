// Formats and parses the messages of a conversation as JSON lines, for export and import.
// Invariant: every written line can be parsed; for an invalid line, parsing throws an error with the line's number.
import { acceptedTimes, isAcceptedTime } from "../calendar.ts";
import { ConfigError } from "../errors.ts";

interface TextMessage {
  readonly role: "user" | "assistant";
  readonly speaker?: string;
  readonly text: string;
  readonly at: Date;
}

// The time zone is required: without it, the time would depend on the machine.
const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;
const fields = ["role", "speaker", "text", "at"];

/** Returns one line per message, oldest first. */
export function messageLines(messages: readonly TextMessage[]): string {
  return messages
    .map(({ role, speaker, text, at }) => {
      const named = speaker === undefined ? {} : { speaker };
      return `${JSON.stringify({ role, ...named, text, at: at.toISOString() })}\n`;
    })
    .join("");
}

/** Parses the lines and skips blank ones. Throws ConfigError, which names `file` and the line, for an invalid line. */
export function parseMessageLines(text: string, file: string): readonly TextMessage[] {
  const messages = text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    const place = `${file}, line ${index + 1}`;
    return [{ message: messageOf(line, place), place }];
  });
  if (messages.length === 0) throw new ConfigError(`${file} has no messages. Expected one on each line.`);
  for (const [index, { message, place }] of messages.entries()) {
    const before = messages[index - 1];
    if (before !== undefined && message.at < before.message.at) {
      throw new ConfigError(
        `${place}: expected a time at or after that of ${before.place}, got ${message.at.toISOString()}.`,
      );
    }
  }
  return messages.map(({ message }) => message);
}

function messageOf(line: string, place: string): TextMessage {
  const { role, speaker, text, at, ...others } = objectOf(line, place);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new ConfigError(`${place}: expected only the fields ${fields.join(", ")}, got ${shown(unknown)}.`);
  }
  if (role !== "user" && role !== "assistant") throw invalidField(place, 'role to be "user" or "assistant"', role);
  if (!isFilled(text)) throw invalidField(place, "text to be a string that is not blank", text);
  if (speaker !== undefined && !isFilled(speaker)) throw invalidField(place, "speaker to be a name or absent", speaker);
  return { role, ...(speaker === undefined ? {} : { speaker }), text, at: timeOf(at, place) };
}

function isFilled(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function timeOf(at: unknown, place: string): Date {
  const time = typeof at === "string" && moment.test(at) ? new Date(at) : undefined;
  if (time !== undefined && isAcceptedTime(time)) return time;
  throw invalidField(place, `at to be ${acceptedTimes}, such as 2026-11-21T10:13:00Z`, at);
}

function objectOf(line: string, place: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new ConfigError(`${place}: expected a JSON object, got ${shown(line)}.`, { cause });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ConfigError(`${place}: expected a JSON object, got ${shown(value)}.`);
  }
  return value as Readonly<Record<string, unknown>>;
}

function invalidField(place: string, expected: string, value: unknown): ConfigError {
  return new ConfigError(`${place}: expected ${expected}, got ${shown(value)}.`);
}

function shown(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
