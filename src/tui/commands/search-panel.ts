// A page of search results as a panel, with the true total.
import { whenLabel } from "../labels.ts";
import { type Span, span } from "../row.ts";
import type { SearchHit } from "../runtime-records.ts";
import type { Paragraph, ViewItem } from "../view-item.ts";

const longestHit = 400;

/** Hits that a command shows. */
export const hitsShown = 10;

export interface SearchPanel {
  readonly hits: readonly SearchHit[];
  readonly total: number;
  /** What the search could not do, to follow the count. */
  readonly limits?: string;
  readonly now: Date;
}

/** The hits, each with when and by whom, under a line that says how many there are in all. */
export function searchPanel({ hits, total, limits = "", now }: SearchPanel): ViewItem {
  const count = hits.length < total ? `${total} found, these are the first ${hits.length}` : `${total} found`;
  return {
    kind: "panel",
    paragraphs: [
      { indent: 0, spans: [span(`${count}${limits}`, "strong")] },
      ...hits.map((hit) => hitParagraph(hit, now)),
    ],
  };
}

function hitParagraph({ text, role, at, tags }: SearchHit, now: Date): Paragraph {
  const who = role === undefined ? "" : ` ${role === "user" ? "you" : "agent"}`;
  const tagged: readonly Span[] =
    tags === undefined || tags.length === 0 ? [] : [span(`  [${tags.join(", ")}]`, "faint")];
  const clipped = text.length > longestHit ? `${text.slice(0, longestHit)}…` : text;
  return {
    indent: 2,
    lead: [span(`${whenLabel(at, now)}${who}  `, "faint")],
    spans: [span(clipped.replaceAll(/\s*\n\s*/g, " ")), ...tagged],
  };
}
