// Forgettings as text.
import type { ForgetPreview, ForgettingRecord, ForgottenPlace } from "../runtime-records.ts";
import { clip, minute } from "./listing-texts.ts";

/** Characters of a similar message or passage: it fits on one line. */
const similarLength = 100;

/** Every place, what is similar, and what is out of reach. */
export function previewText({ places, similar, outOfReach }: ForgetPreview): string {
  const found = places.length === 0 ? ["Nothing holds it."] : places.map(placeText);
  const meant = similar.map(
    ({ kind, id, text, at }) =>
      `  --${kind} ${id}  ${minute(at)}  ${clip(text.replaceAll(/\s+/gu, " "), similarLength)}`,
  );
  const near = meant.length === 0 ? [] : ["", "Similar, and not removed. To remove one, add its flag:", ...meant];
  return [...found, ...near, "", ...outOfReach].join("\n");
}

function placeText({ kind, id, effect, excerpt }: ForgottenPlace): string {
  return `${effect.padEnd(8)}  ${labelOf(kind, id)}${excerpt === null ? "" : `: ${excerpt}`}`;
}

function labelOf(kind: ForgottenPlace["kind"], id: string): string {
  return kind === "other" ? id : `${kind} ${id}`;
}

/** `4 places: 2 message, 1 module, 1 summary`. */
export function placesText(places: readonly ForgottenPlace[]): string {
  const counts: Record<string, number> = {};
  for (const { kind } of places) counts[kind] = (counts[kind] ?? 0) + 1;
  return `${places.length} ${places.length === 1 ? "place" : "places"}: ${countsText(counts)}`;
}

/** `2026-11-21 10:13  by the user: 2 message, 1 module`. */
export function forgettingText({ requestedAt, appliedAt, origin, counts }: ForgettingRecord): string {
  const by = { user: "by the user", api: "by a program", model: "by the model" }[origin];
  const what = appliedAt === null ? "waits for the end of a turn" : countsText(counts);
  return `${minute(requestedAt)}  ${by}: ${what}`;
}

function countsText(counts: Readonly<Record<string, number | undefined>>): string {
  return Object.entries(counts)
    .map(([kind, count]) => `${count ?? 0} ${kind}`)
    .join(", ");
}
