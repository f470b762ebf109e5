// Opens attached files in an agent's window, and assembles their lines from passages.
// Invariant: at most `maxOpenFiles` are open; opening another closes the one that was opened first. A text that two passages
// share appears once; lines keep their numbers in the file.
import { smallest } from "../../base/lists.ts";
import type { Clock } from "../../base/clock.ts";
import { ToolError } from "../../base/errors.ts";
import type {
  AttachedFile,
  FileLines,
  FilePassage,
  OpenFile,
  OpenFileText,
} from "../../store/port/attached-file-store.ts";
import type { AttachedFiles, FileToOpen, OpenedFiles } from "../../tool/tool.ts";
import { fileNamed, shownName } from "./file-names.ts";
import { findLines, type FindLinesDeps } from "./find-lines.ts";

export const maxOpenFiles = 5;

/** Maximum lines of an open file that are read; the window determines how many of them are shown. */
const maxLines = 2000;

export interface OpenFiles extends AttachedFiles {
  /** The open files at the last `refresh` or `open`, the most recently opened last. */
  readonly current: readonly OpenFileText[];
  refresh(): Promise<void>;
}

interface OpenFilesDeps extends FindLinesDeps {
  readonly clock: Pick<Clock, "now">;
}

export function createOpenFiles(deps: OpenFilesDeps): OpenFiles {
  const { agentId, store } = deps;
  let current: readonly OpenFileText[] = [];
  const refresh = async (): Promise<void> => {
    current = await textsOf(deps, openOf(await store.list(agentId)));
  };
  return {
    get current() {
      return current;
    },
    refresh,
    async open(requests, { closesOthers = false } = {}) {
      const opened = await open(deps, requests, closesOthers);
      await refresh();
      return opened;
    },
    findLines: (wanted) => findLines(deps, wanted),
  };
}

/** Returns the files that are open, in the order in which they were opened. */
export function openOf(files: readonly AttachedFile[]): readonly (AttachedFile & { readonly open: Range })[] {
  return files
    .flatMap((file) => (file.open === null ? [] : [{ ...file, open: file.open }]))
    .toSorted((one, other) => one.open.at.getTime() - other.open.at.getTime());
}

type Range = Omit<OpenFile, "fileId">;

/** Returns the open files with the added ones at the end. Above the maximum, the first ones are dropped. */
export function withOpened(open: readonly OpenFile[], added: readonly OpenFile[]): readonly OpenFile[] {
  const kept = open.filter(({ fileId }) => added.every((file) => file.fileId !== fileId));
  return [...kept, ...added].slice(-maxOpenFiles);
}

/** Returns the texts of open files, in the given order. */
export async function textsOf(
  { agentId, store }: Pick<OpenFilesDeps, "agentId" | "store">,
  files: readonly (AttachedFile & { readonly open: Range })[],
): Promise<readonly OpenFileText[]> {
  if (files.length === 0) return [];
  const ranges = files.map(({ id, open: { from, to } }) => ({ id, first: from, last: lastLine(from, to) }));
  const passages = await store.passages(agentId, ranges);
  return files.map((file) => ({
    id: file.id,
    name: shownName(file),
    ...inRange(
      passages.filter(({ fileId }) => fileId === file.id),
      file.open,
    ),
  }));
}

function lastLine(from: number, to: number | null): number {
  return Math.min(to ?? Number.POSITIVE_INFINITY, from + maxLines - 1);
}

function inRange(passages: readonly FilePassage[], { from, to }: Pick<Range, "from" | "to">): FileLines {
  const read = fileLines(passages);
  const skipped = Math.max(0, from - read.from);
  const lines = read.lines.slice(skipped, lastLine(from, to) - read.from + 1);
  return { from: read.from + skipped, lines, total: read.total };
}

async function open(deps: OpenFilesDeps, requests: readonly FileToOpen[], closesOthers: boolean): Promise<OpenedFiles> {
  const { agentId, store, clock } = deps;
  const files = await store.list(agentId);
  const at = clock.now().getTime();
  const wanted = requests.map(({ name, from = 1, lines }, index) => ({
    ...fileNamed(files, name),
    open: { from, to: lines === undefined ? null : from + lines - 1, at: new Date(at + index) },
  }));
  const texts = await textsOf(deps, wanted);
  for (const { name, from, lines, total } of texts)
    if (lines.length === 0)
      throw new ToolError(`${name} has ${total} lines: it cannot be opened from line ${from}. Nothing was opened.`);
  let before: readonly OpenFile[] = [];
  const added = wanted.map(({ id, open: range }) => ({ fileId: id, ...range }));
  const after = await store.changeOpen(agentId, (opened) => {
    before = opened;
    return withOpened(closesOthers ? [] : opened, added);
  });
  const closed = before.filter(({ fileId }) => after.every((file) => file.fileId !== fileId));
  const nameOf = (id: string): readonly string[] => files.filter((file) => file.id === id).map(shownName);
  return {
    opened: texts.map(({ name, from, lines, total }) => ({ name, from, to: from + lines.length - 1, total })),
    closed: closed.flatMap(({ fileId }) => nameOf(fileId)),
  };
}

/** Maximum UTF-16 units of a text that two passages share. */
const maxShared = 2000;

/**
 * Returns the lines of a file. `passages`: passages of one file, in order. In a file without line numbers, each part is
 * preceded by a line with its page or heading.
 */
export function fileLines(passages: readonly FilePassage[]): FileLines {
  const numbered = passages[0]?.lastLine ?? null;
  if (numbered !== null) return numberedLines(passages, numbered);
  const lines = passages.reduce<readonly string[]>(
    (before, passage, at) => joined(before, passage, passages[at - 1]),
    [],
  );
  return { from: 1, lines, total: lines.length };
}

function numberedLines(passages: readonly FilePassage[], total: number): FileLines {
  const from = smallest(passages.map(({ place }) => place?.lineFrom ?? total + 1));
  const lines: string[] = [];
  for (const { content, place } of passages) {
    const start = (place?.lineFrom ?? from) - from;
    // A record of JSON Lines is on one line of the file, but the text of the record may have several lines.
    const isOneLine = place?.lineFrom === place?.lineTo;
    for (const [at, text] of (isOneLine ? [content.replaceAll("\n", " ")] : content.split("\n")).entries()) {
      // Adds the blank lines between passages, which belong to no passage.
      while (lines.length < start + at) lines.push("");
      lines[start + at] = withoutShared(lines[start + at] ?? "", text);
    }
  }
  return { from, lines, total };
}

/**
 * Joins two texts on the same line of a file, with their shared text only once. Passages have no white space at their ends, so
 * a space separates texts that share nothing.
 */
function withoutShared(before: string, text: string): string {
  if (before.includes(text)) return before;
  if (text.includes(before)) return text;
  const shared = sharedLength(before, text);
  return `${before}${shared === 0 ? " " : ""}${text.slice(shared)}`;
}

function sharedLength(before: string, text: string): number {
  for (let length = Math.min(maxShared, before.length, text.length); length > 0; length -= 1)
    if (before.endsWith(text.slice(0, length))) return length;
  return 0;
}

function joined(
  before: readonly string[],
  { content, place }: FilePassage,
  previous: FilePassage | undefined,
): readonly string[] {
  const [part, partBefore] = [partOf(place), partOf(previous?.place ?? null)];
  const isNew = previous === undefined || part !== partBefore;
  const heading = isNew && part !== "" ? [`[${part}]`] : [];
  const shared = isNew ? 0 : sharedLength(previous.content, content);
  const rest = content.slice(shared).split("\n");
  if (shared === 0) return [...before, ...heading, ...rest];
  const [first = "", ...more] = rest;
  return [...before.slice(0, -1), `${before.at(-1) ?? ""}${first}`, ...more];
}

function partOf(place: FilePassage["place"]): string {
  const page = place?.page === undefined ? [] : [`page ${place.page}`];
  const heading = place?.heading === undefined ? [] : [place.heading];
  return [...page, ...heading].join(", ");
}
