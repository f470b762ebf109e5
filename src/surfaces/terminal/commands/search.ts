// `/search TEXT` and `/archival [TEXT]`: show a page of results with the total, marked matches and, on request, the reasons for
// each hit.
import { citationText } from "../../../base/message/citation.ts";
import { excerptPieces, findMatches } from "../../../base/search-view/search-pieces.ts";
import { explanationParts, type HitExplanation } from "../../../base/search-view/search-explanation.ts";
import { whenLabel } from "../rows/labels.ts";
import { type Span, span } from "../rows/row.ts";
import { flatText, screenText } from "../rows/wrap.ts";
import type { SearchHit } from "../runtime-records.ts";
import { panel } from "../view/notices.ts";
import type { Paragraph, ViewItem } from "../view/view-item.ts";
import { command, noteOutcome, refusalOutcome } from "./command.ts";

/** Maximum hits per memory, so that the hits of recall and of the archive fit on one screen. */
const hitsOfEach = 5;

export const searchCommand = command({
  usage: "/search TEXT",
  summary: "search messages and the archive; --explain shows why",
  manual: "searches recall and the archive; `--explain` shows why each result was found",
  isAlwaysReady: true,
  async run({ runtime, agent, argument, now }) {
    const { query, isExplained } = parseQuery(argument);
    if (query === "") return refusalOutcome("Expected words to search for.", "/search sailing");
    const agentId = agent.record.id;
    const [recall, archival] = await Promise.all([
      runtime.recall.search(agentId, query, { pageSize: hitsOfEach }),
      runtime.archival.search(agentId, query, { pageSize: hitsOfEach }),
    ]);
    const places = [
      { place: "What was said", found: recall },
      { place: "Archival memory", found: archival },
    ];
    if (places.every(({ found }) => found.total === 0)) {
      const limits = archival.wordsAlone ? `, by ${wordsAloneText}` : "";
      return noteOutcome(`No message and no passage matches "${query}"${limits}.`);
    }
    return {
      items: places.map(({ place, found: { hits, total, wordsAlone } }) => {
        const limits = wordsAlone ? `; ${wordsAloneText}` : "";
        return searchPanel({ place, hits, total, limits, query, isExplained, now: now() });
      }),
    };
  },
});

const wordsAloneText = "words only: search by meaning is not available now";

export const archivalCommand = command({
  usage: "/archival [TEXT]",
  summary: "list or search archival memory; --explain shows why",
  manual: "lists the newest passages of archival memory, or those that match",
  isAlwaysReady: true,
  async run({ runtime, agent, argument, now }) {
    const agentId = agent.record.id;
    const { query, isExplained } = parseQuery(argument);
    if (query === "") {
      const total = await runtime.archival.count(agentId);
      if (total === 0) return noteOutcome("Archival memory is empty.");
      const passages = await runtime.archival.list(agentId, { limit: hitsShown });
      const hits = passages.map(({ id, text, at, trust, origin, tags }) => ({ id, text, at, trust, origin, tags }));
      return { items: [searchPanel({ hits, total, now: now() })] };
    }
    const { hits, total, wordsAlone } = await runtime.archival.search(agentId, query, { pageSize: hitsShown });
    const limits = wordsAlone ? ` by ${wordsAloneText}` : "";
    if (total === 0) return noteOutcome(`Archival memory has nothing on "${query}"${limits}.`);
    return { items: [searchPanel({ hits, total, limits, query, isExplained, now: now() })] };
  },
});

/** Length of the excerpt around the first match, in UTF-16 units. */
const maxHitLength = 400;

/** Maximum number of hits that a command shows. */
const hitsShown = 10;

/** The parsed argument of a search command: `--explain` at its beginning or end requests reasons, the rest is the query. */
interface TypedQuery {
  readonly query: string;
  readonly isExplained: boolean;
}

function parseQuery(argument: string): TypedQuery {
  const query = argument.replace(/^--explain(?=\s|$)\s*|(?<=\s)--explain$/u, "").trim();
  return { query, isExplained: query !== argument.trim() };
}

interface SearchPanel extends Partial<TypedQuery> {
  /** The searched memory, shown before the count. */
  readonly place?: string;
  readonly hits: readonly SearchHit[];
  readonly total: number;
  /** A limitation of the search, shown after the count. */
  readonly limits?: string;
  readonly now: Date;
}

/** Returns the panel of hits with time and speaker, below a line with the total. */
function searchPanel({ place, hits, total, limits = "", query = "", isExplained = false, now }: SearchPanel): ViewItem {
  const count = hits.length < total ? `${total} found, these are the first ${hits.length}` : `${total} found`;
  const heading = place === undefined ? `${count}${limits}` : `${place}: ${count}${limits}`;
  return panel([
    { indent: 0, spans: [span(heading, "strong")] },
    ...hits.flatMap((hit) => [
      hitParagraph(hit, { query, now }),
      ...(isExplained && hit.explanation !== undefined ? [reasons(hit.explanation)] : []),
    ]),
  ]);
}

function hitParagraph(
  { text, role, speaker, at, tags, source }: SearchHit,
  { query, now }: { readonly query: string; readonly now: Date },
): Paragraph {
  const name = speaker === undefined ? undefined : flatText(speaker);
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

/** Returns `words rank 1, score 0.061 · meaning not compared · … · total 1.5` as a paragraph, which wraps. */
function reasons(explanation: HitExplanation): Paragraph {
  const parts = explanationParts(explanation).map(({ name, text }) => `${name} ${text}`);
  return { indent: 4, spans: [span(parts.join(" · "), "faint")] };
}
