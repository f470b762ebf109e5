// What was looked up for messages and stays with them: which of it a request shows already, and which of it is out of date.
// Invariant: pure; an item is shown once, and the lines of an open file are shown until they change.
import { createHash } from "node:crypto";
import type { OpenFileText } from "../../memory/attached-file-store.ts";
import type { StoredMessage } from "../../memory/records.ts";
import type { RetrievedItem } from "./place-retrieved.ts";

/** An open file; `mark` identifies the lines that it shows. */
export type MarkedFile = OpenFileText & { readonly mark: string };

/** What a request has to show of files and of the running turn's lookup. */
export interface Lookups {
  /** Best first. */
  readonly retrieved: readonly RetrievedItem[];
  /** The one that was opened last at the end. */
  readonly openFiles: readonly MarkedFile[];
}

export function withMark(file: OpenFileText): MarkedFile {
  const { name, from, lines, total } = file;
  const hash = createHash("sha256").update(JSON.stringify([name, from, lines, total]));
  return { ...file, mark: hash.digest("hex").slice(0, 16) };
}

/** Returns what no message shows. */
export function notShown(messages: readonly StoredMessage[], { retrieved, openFiles }: Lookups): Lookups {
  const found = messages.flatMap(({ stated }) => stated?.found ?? []);
  const ids = new Set(found.flatMap(({ parts }) => parts.map(({ id }) => id)));
  const marks = new Map(found.flatMap(({ files = {} }) => Object.entries(files)));
  return {
    retrieved: retrieved.filter(({ id }) => !ids.has(id)),
    openFiles: openFiles.filter(({ id, mark }) => marks.get(id) !== mark),
  };
}

/**
 * Returns the tokens of what messages show without need: lookups of earlier turns, lines that are no longer open, and what
 * open files take beyond `maxFiles` tokens because they were opened one after the other.
 */
export function outdatedTokens(
  messages: readonly StoredMessage[],
  { retrieved, openFiles }: Lookups,
  maxFiles: number,
): number {
  const ids = new Set(retrieved.map(({ id }) => id));
  const marks = new Map(openFiles.map(({ id, mark }) => [id, mark]));
  let [outdated, open] = [0, 0];
  for (const { stated } of messages)
    for (const { id, tokens } of stated?.found?.parts ?? []) {
      const mark = stated?.found?.files?.[id];
      if (mark === undefined ? !ids.has(id) : marks.get(id) !== mark) outdated += tokens;
      else if (mark !== undefined) open += tokens;
    }
  return outdated + Math.max(0, open - maxFiles);
}
