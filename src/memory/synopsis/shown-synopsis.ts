// Decides which parts of a synopsis are shown, and which are due for regeneration.
// Invariant: pure; content that no longer fits the structure counts as not made; a part is always shown with the
// passages it was made from, so that a deletion finds it.
import { lowestTrust } from "../../base/message/message.ts";
import type { AgentSettings, SynopsisSnapshot } from "../../store/port/records.ts";
import { readSynopsisPart } from "./synopsis-content.ts";
import {
  type SynopsisPart,
  synopsisParts,
  type SynopsisRecord,
  type SynopsisState,
} from "../../store/port/synopsis-store.ts";
import { type DatedPart, renderSynopsis, type SynopsisDeps } from "./synopsis-view.ts";

export type SynopsisSettings = Pick<AgentSettings, "synopsis" | "synopsisRefresh">;

/**
 * Returns what a prompt shows from now on; null for nothing. With automatic refresh, an expired part is shown while it
 * is regenerated.
 */
export function shownSynopsis(
  states: readonly SynopsisState[],
  { synopsis, synopsisRefresh }: SynopsisSettings,
  now: Date,
): SynopsisSnapshot | null {
  if (synopsis === "off") return null;
  const records = validRecords(states).filter((one) => synopsisRefresh === "on-access" || one.expiresAt > now);
  const text = renderSynopsis(partsOf(records));
  if (text === null) return null;
  const passages = [...new Set(records.flatMap((record) => record.passages))];
  return { text, passages, trust: lowestTrust(["model", ...records.map(({ trust }) => trust)]) };
}

/** Returns the parts that are missing or expired. */
export function dueParts(states: readonly SynopsisState[], now: Date): readonly SynopsisPart[] {
  const records = validRecords(states);
  return synopsisParts.filter((part) => !records.some((record) => record.part === part && record.expiresAt > now));
}

/** Returns the stored parts that can be read. */
export function validRecords(states: readonly SynopsisState[]): readonly SynopsisRecord[] {
  return states.flatMap(({ part, made }) =>
    made !== null && readSynopsisPart(part, made.content) !== null ? [made] : [],
  );
}

export function partsOf(records: readonly SynopsisRecord[]): SynopsisDeps {
  return { identity: datedPart(records, "identity"), context: datedPart(records, "context") };
}

function datedPart<Part extends SynopsisPart>(records: readonly SynopsisRecord[], part: Part): DatedPart<Part> | null {
  const record = records.find((one) => one.part === part);
  const content = record === undefined ? null : readSynopsisPart(part, record.content);
  return record === undefined || content === null ? null : { content, at: record.at };
}
