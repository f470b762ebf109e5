// A page of search results as a panel, with the total, marked matches and, on request, the reasons for each hit.
import { citationText } from "../../../base/message/citation.ts";
import { excerptPieces, findMatches } from "../../../base/search-view/search-pieces.ts";
import { explanationParts, type HitExplanation } from "../../../base/search-view/search-explanation.ts";
import { whenLabel } from "../rows/labels.ts";
import { type Span, span } from "../rows/row.ts";
import type { SearchHit } from "../runtime-records.ts";
import type { Paragraph, ViewItem } from "../view/view-item.ts";
import { screenText } from "../rows/wrap.ts";

/** Length of the excerpt around the first match, in UTF-16 units. */
const maxHitLength = 400;

/** Maximum number of hits that a command shows. */
export const hitsShown = 10;

/** Parses the argument of a search command: `--explain` first or last requests reasons, the rest is the query. */
export interface TypedQuery {
  readonly query: string;
  readonly isExplained: boolean;
}

export function parseQuery(argument: string): TypedQuery {
  const query = argument.replace(/^--explain(?=\s|$)\s*|(?<=\s)--explain$/u, "").trim();
  return { query, isExplained: query !== argument.trim() };
}

export interface SearchPanel extends Partial<TypedQuery> {
  /** The searched memory, shown before the count. */
  readonly place?: string;
  readonly hits: readonly SearchHit[];
  readonly total: number;
  /** A limitation of the search, shown after the count. */
  readonly limits?: string;
  readonly now: Date;
}

/** The hits with time and speaker, below a line with the total. */
export function searchPanel({
  place,
  hits,
  total,
  limits = "",
  query = "",
  isExplained = false,
  now,
}: SearchPanel): ViewItem {
  const count = hits.length < total ? `${total} found, these are the first ${hits.length}` : `${total} found`;
  const heading = place === undefined ? `${count}${limits}` : `${place}: ${count}${limits}`;
  return {
    kind: "panel",
    paragraphs: [
      { indent: 0, spans: [span(heading, "strong")] },
      ...hits.flatMap((hit) => [
        hitParagraph(hit, { query, now }),
        ...(isExplained && hit.explanation !== undefined ? [reasons(hit.explanation)] : []),
      ]),
    ],
  };
}

function hitParagraph(
  { text, role, speaker, at, tags, source }: SearchHit,
  { query, now }: { readonly query: string; readonly now: Date },
): Paragraph {
  const name = speaker === undefined ? undefined : screenText(speaker).replaceAll(/\s+/g, " ");
  const who = role === undefined ? "" : ` ${name ?? (role === "user" ? "you" : "agent")}`;
  const marks = [
    ...(tags === undefined || tags.length === 0 ? [] : [`[${tags.join(", ")}]`]),
    ...(source === undefined ? [] : [citationText(source)]),
  ];
  const line = screenText(text).replaceAll(/\s*\n\s*/g, " ");
  const pieces = excerptPieces(line, findMatches(line, query), maxHitLength);
  return {
    indent: 2,
    lead: [span(`${whenLabel(at, now)}${who}  `, "faint")],
    spans: [
      ...pieces.map((piece): Span => span(piece.text, piece.isMatch ? "match" : "plain")),
      ...marks.map((mark): Span => span(`  ${mark}`, "faint")),
    ],
  };
}

/** `words rank 1, score 0.061 · meaning not compared · … · total 1.5`, which wraps. */
function reasons(explanation: HitExplanation): Paragraph {
  const parts = explanationParts(explanation).map(({ name, text }) => `${name} ${text}`);
  return { indent: 4, spans: [span(parts.join(" · "), "faint")] };
}
