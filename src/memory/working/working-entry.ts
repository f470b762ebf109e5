// Defines the entries of working memory: each has a text, user, source and time, and the bytes that it occupies.
// Invariant: an entry is validated when it is added; its byte count is an upper bound and includes its vector, which
// may be made later.
import { RequestError } from "../../base/errors.ts";
import type { Trust } from "../../base/message/message.ts";

/** A text to add to working memory. */
export interface WorkingInput {
  readonly text: string;
  /** Where the text came from, in the caller's words: `user`, or the name of a tool. */
  readonly source: string;
  /** The user to whom the text belongs: no other user's search finds it. */
  readonly user: string;
  /** Default: now. */
  readonly at?: Date;
  /** Trust class of the text. Default: `external`, the lowest class. */
  readonly trust?: Trust;
  /** A text whose id this user's memory already has is not added again. Default: a new id. */
  readonly id?: string;
}

/** A stored text. */
export interface WorkingEntry extends Required<WorkingInput> {
  readonly bytes: number;
  /** The vector; null until it is made. */
  vector: Float32Array | null;
  /** `waiting` for a vector, `done` with a vector, or `refused` by the embedder and so found by words only. */
  state: "waiting" | "done" | "refused";
}

/** Bytes per entry for its objects, its place in both indexes and the vector's array. Measured: docs/memory.md. */
const overheadBytes = 640;

/** Returns the bytes of an entry: its vector in 32-bit numbers, its texts in 16-bit units, and the overhead. */
export function bytesOf(
  { text, source, id }: Pick<WorkingEntry, "text" | "source" | "id">,
  dimensions: number,
): number {
  return 4 * dimensions + 2 * (text.length + source.length + id.length) + overheadBytes;
}

/** Throws RequestError `input_invalid`, which says what was expected and never contains the text, for an invalid input. */
export function checkText({ text, source, user, at }: WorkingInput): void {
  if (typeof text !== "string" || text.trim() === "") throw unexpected("`text` to be a string that is not blank", text);
  if (typeof source !== "string" || source === "") throw unexpected("`source` to be a non-empty string", source);
  checkUser(user);
  if (at !== undefined && !(at instanceof Date && Number.isFinite(at.getTime()))) {
    throw unexpected("`at` to be a valid Date", at);
  }
}

/** Throws RequestError `input_invalid` unless a user is given: a text without a user could not be isolated. */
export function checkUser(user: unknown): void {
  if (typeof user !== "string" || user === "") throw unexpected("`user` to be a non-empty string", user);
}

function unexpected(expected: string, got: unknown): RequestError {
  const kind = typeof got === "string" ? `a string of ${got.length} UTF-16 units` : `a value of type ${typeof got}`;
  return new RequestError("input_invalid", `Expected ${expected} for working memory, got ${kind}.`);
}
