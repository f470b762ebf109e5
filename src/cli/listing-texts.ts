// Listings for people.
import { alignColumns } from "./align-columns.ts";
import { citationText } from "../citation.ts";
import type { Trust } from "../message.ts";
import type { FoundPage, Sweep } from "./runtime-records.ts";

/** A table, or a line that says what to do when there is nothing to show. */
export function tableText(heading: readonly string[], rows: readonly (readonly string[])[], empty: string): string {
  return rows.length === 0 ? empty : alignColumns([heading, ...rows]);
}

/** Results of a search with their place among all, newest detail last. */
export function foundText(found: FoundPage, { isExplained = false }: { readonly isExplained?: boolean } = {}): string {
  const note = found.wordsAlone === true ? ["Search by meaning is not available now: only words were compared."] : [];
  if (found.total === 0) return ["Nothing was found.", ...note].join(" ");
  const lines = found.hits.map((hit) => {
    const { before = [], after = [] } = hit.neighbours ?? {};
    const why = isExplained && hit.explanation !== undefined ? [`  (${explanationText(hit.explanation)})`] : [];
    return [...before.map(besideText), saidText(hit), ...why, ...after.map(besideText)].join("\n");
  });
  return [...lines, pageText(found, found.hits.length), ...note].join("\n");
}

type Hit = FoundPage["hits"][number];
type Neighbour = NonNullable<Hit["neighbours"]>["before"][number];

function saidText({ id, role, speaker, at, text, tags, trust, source }: Hit): string {
  const from = source === undefined ? trustText(trust) : citationText(source);
  const head = [minute(at), speaker ?? role, tagText(tags), from, id]
    .filter((part) => part !== undefined && part !== "")
    .join("  ");
  return `${head}\n${indent(text)}`;
}

/** On a line each, so that the hit stands out. */
function besideText({ role, speaker, text }: Neighbour): string {
  return `  | ${speaker ?? role}: ${clip(text, 160)}`;
}

/** `score 1.52; words: no. 1, 0.84, 23 % of it from what was said around it; meaning: no. 3, likeness 0.61` */
function explanationText({ score, words, meaning, literal }: NonNullable<Hit["explanation"]>): string {
  const byWords =
    words === null
      ? "words: not found"
      : `words: no. ${words.rank}, ${words.score.toFixed(2)}, ${Math.round(words.context * 100)} % of it from what was said around it`;
  const place = meaning?.rank === null ? "" : `no. ${meaning?.rank}, `;
  const byMeaning =
    meaning === null ? "meaning: not compared" : `meaning: ${place}likeness ${meaning.cosine.toFixed(2)}`;
  return [`score ${score.toFixed(2)}`, byWords, byMeaning, ...(literal ? ["holds the query as it stands"] : [])].join(
    "; ",
  );
}

/** `Page 1 of 3, 12 in all.` */
export function pageText(
  { page, pageSize, total }: { readonly page: number; readonly pageSize: number; readonly total: number },
  shown: number,
): string {
  const pages = Math.max(1, Math.ceil(total / pageSize));
  const beyond = shown === 0 && total > 0 ? ` There is nothing on page ${page + 1}: choose --page 1 to ${pages}.` : "";
  return `Page ${page + 1} of ${pages}, ${total} in all.${beyond}`;
}

/** `2026-11-21 10:13` in UTC. */
export function minute(at: Date): string {
  return at.toISOString().slice(0, 16).replace("T", " ");
}

/** `2026-11-21 10:13  12 messages (up to 2026-10-01 08:00), 0 revisions, 3 steps (up to …)` */
export function sweepText({ at, dropped }: Sweep): string {
  const parts = Object.entries(dropped).map(([kind, { rows, through }]) => {
    // What goes of passages is the least important, of whatever age.
    return through === null || kind === "passages" ? `${rows} ${kind}` : `${rows} ${kind} (up to ${minute(through)})`;
  });
  return `${minute(at)}  dropped ${parts.join(", ")}`;
}

export function tagText(tags: readonly string[] | undefined): string {
  return tags === undefined || tags.length === 0 ? "" : `[${tags.join(", ")}]`;
}

/** Said only of what came from outside: the other classes are told by who wrote it. */
export function trustText(trust: Trust): string {
  return trust === "external" ? "from outside" : "";
}

export function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gmu, "  ");
}

/** The beginning of a text on one line. */
export function clip(text: string, length: number): string {
  const line = text.replace(/\s+/gu, " ").trim();
  const points = Array.from(line.slice(0, length * 2));
  return points.length > length ? `${points.slice(0, length - 1).join("")}…` : line;
}
