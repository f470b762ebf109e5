// What working memory holds: a text with whose it is, where it came from and when, and what it takes of the process's memory.
// Invariant: an entry is checked when it comes in; its bytes are never less than what it takes, its vector included, which may
// come later.
import { RequestError } from "../../errors.ts";
import type { Trust } from "../../message/message.ts";

/** A text to remember for a while. */
export interface WorkingInput {
  readonly text: string;
  /** Where it came from, in your words: `user`, or the name of a tool. */
  readonly source: string;
  /** Whose it is: nobody else's search finds it. */
  readonly user: string;
  /** Default: now. */
  readonly at?: Date;
  /** Default `external`, the lowest. */
  readonly trust?: Trust;
  /** What is added under the id of something that this user has there already is not added again. Default: one of its own. */
  readonly id?: string;
}

/** A text as it is held. */
export interface WorkingEntry extends Required<WorkingInput> {
  readonly bytes: number;
  /** Null until it is made. */
  vector: Float32Array | null;
  /** `waiting` for a vector, `done` with one, or `refused` by the embedder: then words find it. */
  state: "waiting" | "done" | "refused";
}

/** Per entry, for its objects, its place in both indexes and what surrounds a vector. Measured: docs/memory.md. */
const overheadBytes = 640;

/** Bytes of an entry: its vector in 32-bit numbers, its texts in 16-bit units, and what holds them together. */
export function bytesOf(
  { text, source, id }: Pick<WorkingEntry, "text" | "source" | "id">,
  dimensions: number,
): number {
  return 4 * dimensions + 2 * (text.length + source.length + id.length) + overheadBytes;
}

/** Throws RequestError `input_invalid`, which says what was expected and never holds the text. */
export function checkText({ text, source, user, at }: WorkingInput): void {
  if (typeof text !== "string" || text.trim() === "") throw unexpected("`text` to be a text that is not blank", text);
  if (typeof source !== "string" || source === "") throw unexpected("`source` to be a text that is not empty", source);
  checkUser(user);
  if (at !== undefined && !(at instanceof Date && Number.isFinite(at.getTime()))) {
    throw unexpected("`at` to be a Date that is one", at);
  }
}

/** Throws RequestError `input_invalid`: without a user there is nobody to keep a text from. */
export function checkUser(user: unknown): void {
  if (typeof user !== "string" || user === "") throw unexpected("`user` to be a text that is not empty", user);
}

function unexpected(expected: string, got: unknown): RequestError {
  const kind = typeof got === "string" ? `a text of ${got.length} UTF-16 units` : `a value of type ${typeof got}`;
  return new RequestError("input_invalid", `For working memory: expected ${expected}; got ${kind}.`);
}
