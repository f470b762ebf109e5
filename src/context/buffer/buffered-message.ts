// Defines the entries of a message buffer (messages, and summaries of evicted messages) and filters that select entries.
// Invariant: a message is validated and copied when it is added, and never changes afterwards.
import { RequestError } from "../../base/errors.ts";

export type BufferRole = "user" | "assistant" | "system";
export type MetadataValue = string | number | boolean | null;
/** Scalar values by name. `user_id`, a string, is the user to whom the message belongs. */
export type MessageMetadata = Readonly<Record<string, MetadataValue>>;

export interface BufferedMessage {
  readonly role: BufferRole;
  readonly text: string;
  readonly at: Date;
  readonly metadata: MessageMetadata;
}

/** A summary that replaces several messages of one user after they left the window. */
export interface BufferedSummary {
  readonly text: string;
  /** The `user_id` of the messages; null if they had none. */
  readonly user: string | null;
  /** Number of messages that the summary covers. */
  readonly messages: number;
  /** The times of the first and the last summarized message. */
  readonly from: Date;
  readonly through: Date;
}

/** Selects the messages that match all fields. */
export interface BufferFilter {
  /** Short for `metadata: { user_id: … }`. */
  readonly user?: string;
  /** Values that a message's metadata must contain. */
  readonly metadata?: MessageMetadata;
}

export const bufferRoles: readonly BufferRole[] = ["user", "assistant", "system"];

/**
 * Returns a validated copy of a message. Throws RequestError `input_invalid` for an unknown role, a text that is not a string,
 * or metadata that is not scalar.
 */
export function bufferedMessage(fields: BufferedMessage): BufferedMessage {
  const { role, text, at, metadata } = fields;
  if (!bufferRoles.includes(role)) throw unexpected("`role`", `one of ${bufferRoles.join(", ")}`, JSON.stringify(role));
  if (typeof text !== "string") throw unexpected("`text`", "a text", kindOf(text));
  for (const [key, value] of Object.entries(metadata)) checkMetadata(key, value);
  return Object.freeze({ role, text, at, metadata: Object.freeze({ ...metadata }) });
}

/** Returns the user of a message; null if none is given. */
export function userOf({ metadata }: BufferedMessage): string | null {
  const user = Object.hasOwn(metadata, "user_id") ? metadata["user_id"] : null;
  return typeof user === "string" ? user : null;
}

export function matchesFilter({ metadata }: BufferedMessage, filter: BufferFilter): boolean {
  return requestOf(filter).every(([key, value]) => Object.hasOwn(metadata, key) && metadata[key] === value);
}

/** Whether a summary matches a filter. A summary has no metadata but the user, so a filter on other metadata never matches. */
export function summaryMatchesFilter({ user }: BufferedSummary, filter: BufferFilter): boolean {
  return requestOf(filter).every(([key, value]) => key === "user_id" && value === user);
}

function requestOf({ user, metadata = {} }: BufferFilter): readonly (readonly [string, MetadataValue])[] {
  const request = Object.entries(metadata);
  return user === undefined ? request : [...request, ["user_id", user]];
}

function checkMetadata(key: string, value: unknown): void {
  const isScalar = value === null || ["string", "boolean"].includes(typeof value) || Number.isFinite(value);
  if (key === "user_id" && typeof value !== "string") throw unexpected("metadata `user_id`", "a text", kindOf(value));
  if (!isScalar) throw unexpected(`metadata \`${key}\``, "a text, a finite number, true, false or null", kindOf(value));
}

function unexpected(what: string, expected: string, got: string): RequestError {
  return new RequestError("input_invalid", `Expected ${what} of a buffer message to be ${expected}, got ${got}.`);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `a value of type ${typeof value}`;
}
