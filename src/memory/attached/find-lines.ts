// Finds the lines of attached files that match a pattern written by a model.
// Invariant: a line that two passages share is found once; the time is limited for any pattern and any number of files.
import { ToolError } from "../../base/errors.ts";
import type { FoundLine, FoundLines, LinesToFind } from "../../tool/tool.ts";
import type { AttachedFile, AttachedFileStore, PlacedPassage } from "../../store/port/attached-file-store.ts";
import { filesMatching, shownName } from "./file-names.ts";

/** A search for the lines of some texts that match a pattern. */
export interface MatchRequest {
  /** A JavaScript regular expression, matched without regard to case. */
  readonly pattern: string;
  readonly texts: readonly string[];
}

/** For each text, the indexes of its matching lines; and the processor time that matching took, in seconds. */
export interface LineMatches {
  readonly lines: readonly (readonly number[])[];
  readonly seconds: number;
}

/** Returns the lines that match. Throws ToolError for an invalid regular expression, and for one that takes too long. */
export type MatchLines = (request: MatchRequest) => Promise<LineMatches>;

export interface FindLinesDeps {
  readonly agentId: string;
  readonly store: AttachedFileStore;
  readonly matchLines: MatchLines;
}

const linesPerPage = 20;
/** Passages per query, of about 1,000 characters each. */
const passagesPerRead = 500;
const maxMatches = 10_000;
/** Maximum processor time for all files, in seconds. */
const maxSeconds = 5;

interface Match extends FoundLine {
  /** The position of a matching line, for sorting: the index of its file, then its line number. */
  readonly order: readonly [number, number];
}

export async function findLines(
  { agentId, store, matchLines }: FindLinesDeps,
  { pattern, include, around = 0, offset = 0 }: LinesToFind,
): Promise<FoundLines> {
  const files = filesMatching(await store.list(agentId), include);
  const found = new Map<string, Match>();
  let seconds = 0;
  for (let after: string | null = null, isMore = files.length > 0; isMore; ) {
    const fileIds = files.map(({ id }) => id);
    const passages: readonly PlacedPassage[] = await store.passagesAfter(agentId, {
      fileIds,
      after,
      limit: passagesPerRead,
    });
    const matches = await matchLines({ pattern, texts: passages.map(({ content }) => content) });
    for (const [at, passage] of passages.entries())
      for (const line of matches.lines[at] ?? []) addMatch(found, matchAt(files, passage, { line, around }));
    seconds += matches.seconds;
    if (found.size > maxMatches) throw tooMuch(`More than ${maxMatches} lines match.`);
    if (seconds > maxSeconds) throw tooMuch("The search takes too long.");
    after = passages.at(-1)?.id ?? null;
    isMore = passages.length === passagesPerRead;
  }
  const ordered = [...found.values()].toSorted(
    ({ order: [file, line] }, { order: [otherFile, otherLine] }) => file - otherFile || line - otherLine,
  );
  const lines = ordered.slice(offset, offset + linesPerPage).map(({ order: _order, ...line }) => line);
  return { files: files.length, total: ordered.length, lines };
}

function addMatch(found: Map<string, Match>, match: Match): void {
  const { file, page, line, text } = match;
  const key = JSON.stringify([file, page, line, text]);
  if (!found.has(key)) found.set(key, match);
}

function matchAt(
  files: readonly AttachedFile[],
  { fileId, content, place }: PlacedPassage,
  { line: at, around }: { readonly line: number; readonly around: number },
): Match {
  const lines = content.split("\n");
  const number = files.findIndex(({ id }) => id === fileId);
  // A record of JSON Lines is on one line of the file, but the text of the record may have several lines.
  const line = place?.lineFrom === undefined ? undefined : Math.min(place.lineFrom + at, place.lineTo ?? Infinity);
  return {
    file: shownName(files[number]!),
    ...(place?.page === undefined ? {} : { page: place.page }),
    ...(line === undefined ? {} : { line }),
    text: lines[at]!,
    before: lines.slice(Math.max(0, at - around), at),
    after: lines.slice(at + 1, at + 1 + around),
    order: [number, line ?? place?.page ?? 0],
  };
}

function tooMuch(what: string): ToolError {
  return new ToolError(`${what} Make the pattern narrower, or name fewer files with \`include\`.`);
}
