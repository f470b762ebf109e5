// Listings as text.
import { diffLines } from "../../../base/line-diff.ts";
import { numberText } from "../../../base/window-words.ts";
import { alignColumns } from "./align-columns.ts";
import { type ExternalSource, externalText, type Trust } from "../../../base/message/message.ts";
import type { Sweep } from "../runtime-records.ts";

/** A table, or a line that says what to do when there is nothing to show. */
export function tableText(heading: readonly string[], rows: readonly (readonly string[])[], empty: string): string {
  return rows.length === 0 ? empty : alignColumns([heading, ...rows]);
}

/** `Page 1 of 3, 12 in all.` */
export function pageText(
  { page, pageSize, total }: { readonly page: number; readonly pageSize: number; readonly total: number },
  shown: number,
): string {
  const pages = Math.max(1, Math.ceil(total / pageSize));
  const beyond = shown === 0 && total > 0 ? ` Page ${page + 1} does not exist: choose --page 1 to ${pages}.` : "";
  return `Page ${page + 1} of ${pages}, ${total} in all.${beyond}`;
}

/** `1 passage`, `1,234 passages`. */
export function passageCount(count: number): string {
  return `${numberText(count)} ${count === 1 ? "passage" : "passages"}`;
}

/** `2026-11-21 10:13` in UTC. */
export function minute(at: Date): string {
  return at.toISOString().slice(0, 16).replace("T", " ");
}

/** `2026-11-21 10:13  12 messages (up to 2026-10-01 08:00), 0 revisions, 3 steps (up to …)` */
export function sweepText({ at, dropped }: Sweep): string {
  const parts = Object.entries(dropped).map(([kind, { rows, through }]) => {
    // Passages are evicted by importance, not by age.
    return through === null || kind === "passages" ? `${rows} ${kind}` : `${rows} ${kind} (up to ${minute(through)})`;
  });
  return `${minute(at)}  deleted ${parts.join(", ")}`;
}

/** The changed lines of a text: `  - old`, `  + new`. */
export function changeLines(before: string, after: string): readonly string[] {
  return diffLines(before, after).map(({ sign, text }) => `  ${sign} ${text}`);
}

export function tagText(tags: readonly string[] | undefined): string {
  return tags === undefined || tags.length === 0 ? "" : `[${tags.join(", ")}]`;
}

/** Describes the class `external` only; for the others, the listing already shows the author. */
export function trustText(trust: Trust, external: readonly ExternalSource[] = []): string {
  if (trust !== "external") return "";
  return external.length === 0 ? "from outside" : `from outside (${externalText(external)})`;
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

/** A model with its address, unless that is its provider's own. */
export function modelAtText(model: string, baseUrl: string | null): string {
  return baseUrl === null ? model : `${model} at ${baseUrl}`;
}
