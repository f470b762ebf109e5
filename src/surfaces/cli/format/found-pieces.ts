// Formats search results as text with marked matches, and as JSON.
// Invariant: control sequences are removed before a text is cut into pieces, so that no sequence can span two pieces.
import { stripControl } from "../../../base/terminal-text.ts";
import { citationText } from "../../../base/message/citation.ts";
import { excerptPieces, findMatches, type TextPiece } from "../../../base/search-view/search-pieces.ts";
import { explanationParts } from "../../../base/search-view/search-explanation.ts";
import { clip, minute, pageText, tagText, trustText } from "./listing-texts.ts";
import type { FoundPage } from "../runtime-records.ts";

/** Length of the excerpt of a long text, in UTF-16 units; `--json` has the full text. */
const excerptLength = 1000;

/** Maximum length of the text of a neighbouring message, in code points, so that the text fits on one line. */
const neighbourLength = 160;

type FoundHit = FoundPage["hits"][number];
type Neighbour = NonNullable<FoundHit["neighbours"]>["before"][number];

export interface FoundOptions {
  /** The query for which matches are marked; absent for a search by days. */
  readonly query?: string;
  /** Whether to add the reasons for the rank of each hit. */
  readonly isExplained?: boolean;
}

/** Returns the hits in their order, each with its head, its indented text and, on request, its reasons; then the total. */
export function foundPieces(found: FoundPage, options: FoundOptions = {}): readonly TextPiece[] {
  const note = found.wordsAlone ? ["Search by meaning is not available now: only words were compared."] : [];
  if (found.total === 0) return [plain(["Nothing was found.", ...note].join(" "))];
  return [
    ...found.hits.flatMap((hit) => hitPieces(hit, options)),
    plain([pageText(found, found.hits.length), ...note].join("\n")),
  ];
}

function hitPieces(hit: FoundHit, { query = "", isExplained = false }: FoundOptions): readonly TextPiece[] {
  const { id, role, speaker = role, at, tags, trust, source, explanation, neighbours, replacement } = hit;
  const { before = [], after = [] } = neighbours ?? {};
  const origin = source === undefined ? trustText(trust) : citationText(source);
  const head = [minute(at), speaker, tagText(tags), origin, id].filter((part) => part !== undefined && part !== "");
  const text = stripControl(hit.text);
  const reasons = isExplained && explanation !== undefined ? explanationParts(explanation) : [];
  return [
    ...before.map(neighbourPiece),
    plain(`${head.join("  ").replaceAll(/\s*\n\s*/gu, " ")}\n`),
    ...indented(excerptPieces(text, findMatches(text, query), excerptLength)),
    plain("\n"),
    ...(replacement === undefined ? [] : [plain(`  replaced by ${replacement.id}: ${lineOf(replacement.text)}\n`)]),
    ...reasons.map(({ name, text: reason }) => plain(`    ${name.padEnd(10)}  ${reason}\n`)),
    ...after.map(neighbourPiece),
  ];
}

function neighbourPiece({ role, speaker = role, text }: Neighbour): TextPiece {
  return plain(`  | ${lineOf(`${speaker}: ${text}`)}\n`);
}

function lineOf(text: string): string {
  return clip(stripControl(text), neighbourLength);
}

/** Indents lines by two columns, except empty ones. */
function indented(pieces: readonly TextPiece[]): readonly TextPiece[] {
  let isLineStart = true;
  return pieces.flatMap(({ text, isMatch }) =>
    text.split(/(?<=\n)/u).flatMap((line) => {
      const margin = isLineStart && line !== "\n" ? [plain("  ")] : [];
      isLineStart = line.endsWith("\n");
      return [...margin, { text: line, isMatch }];
    }),
  );
}

function plain(text: string): TextPiece {
  return { text, isMatch: false };
}

function saidShape({ id, role, speaker, text, trust, at }: FoundPage["hits"][number]): object {
  return { id, role: role ?? null, ...(speaker === undefined ? {} : { speaker }), text, trust, at };
}

function neighboursShape({ before, after }: NonNullable<FoundPage["hits"][number]["neighbours"]>): object {
  return { before: before.map(saidShape), after: after.map(saidShape) };
}

/** Returns a page of hits as `--json` prints it. Pages count from 1, as in `--page`. */
export function foundShape({ hits, page, pageSize, total, wordsAlone }: FoundPage): object {
  return {
    page: page + 1,
    pageSize,
    total,
    wordsAlone,
    hits: hits.map((hit) => ({
      ...saidShape(hit),
      tags: hit.tags ?? [],
      origin: hit.origin ?? null,
      ...(hit.explanation === undefined ? {} : { explanation: hit.explanation }),
      ...(hit.neighbours === undefined ? {} : { neighbours: neighboursShape(hit.neighbours) }),
    })),
  };
}
