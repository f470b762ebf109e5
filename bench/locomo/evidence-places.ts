// Counts where the evidence is in the whole list of candidates, by what found it.
// Invariant: every utterance of the evidence of a question is in exactly one place.
import type { SearchHit } from "../../src/tool/tool.ts";

export interface Listed {
  /** Indices of utterances. */
  readonly evidence: readonly number[];
  /** All candidates, best first. */
  readonly hits: readonly (Pick<SearchHit, "explanation"> & { readonly utterance: number | undefined })[];
}

const places = ["1-5", "6-10", "11-20", "21-50", "behind 50"] as const;
const lastPlaces = [5, 10, 20, 50] as const;
const rows = [
  "own words, meaning",
  "own words only",
  "meaning only",
  "words of neighbours only",
  "not a candidate",
] as const;

/** The number of utterances of evidence at each place; what is not a candidate has the place `none`. */
export type PlaceCounts = Readonly<Record<(typeof rows)[number], Readonly<Record<string, number>>>>;

export function placesOf(lists: readonly Listed[]): PlaceCounts {
  const counts = Object.fromEntries(rows.map((row) => [row, {} as Record<string, number>])) as Record<
    (typeof rows)[number],
    Record<string, number>
  >;
  for (const { evidence, hits } of lists) {
    for (const wanted of evidence) {
      const index = hits.findIndex(({ utterance }) => utterance === wanted);
      const row = index < 0 ? "not a candidate" : foundBy(hits[index]?.explanation);
      const place = index < 0 ? "none" : (places[lastPlaces.filter((last) => index >= last).length] ?? "behind 50");
      counts[row][place] = (counts[row][place] ?? 0) + 1;
    }
  }
  return counts;
}

/** What the 50 nearest by meaning contain was found by meaning; words of the date and the speaker are a message's own. */
function foundBy(explanation: SearchHit["explanation"]): (typeof rows)[number] {
  const isNear = typeof explanation?.meaning?.rank === "number";
  const { words } = explanation ?? {};
  if (words !== null && words !== undefined && (words.context ?? 0) < 1) {
    return isNear ? "own words, meaning" : "own words only";
  }
  return isNear ? "meaning only" : "words of neighbours only";
}

export function printPlaces(counts: PlaceCounts): void {
  const line = (title: string, cells: readonly (string | number)[]): string =>
    `${title.padEnd(36)}${cells.map((cell) => String(cell).padStart(11)).join("")}\n`;
  process.stdout.write(`\nevidence by place\n${line("", places)}`);
  for (const row of rows.slice(0, -1))
    process.stdout.write(
      line(
        row,
        places.map((place) => counts[row][place] ?? 0),
      ),
    );
  process.stdout.write(line("not a candidate", [counts["not a candidate"]["none"] ?? 0]));
}
