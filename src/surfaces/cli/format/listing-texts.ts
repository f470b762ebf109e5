// Formats listings as text: tables, and parts of lines.
import { diffLines } from "../../../base/line-diff.ts";
import { numberText } from "../../../base/window-words.ts";
import { largest } from "../../../base/lists.ts";
import { codePointLength } from "../../../base/code-points.ts";
import { stripControl } from "../../../base/terminal-text.ts";
import { type ExternalSource, externalText, type Trust } from "../../../base/message/message.ts";
import type { Revision } from "../runtime-records.ts";

/** Returns a table; `empty` if it has no rows. */
export function tableText(heading: readonly string[], rows: readonly (readonly string[])[], empty: string): string {
  return rows.length === 0 ? empty : alignColumns([heading, ...rows]);
}

/** Returns a table of the named fields of records; `empty` without records. The headings are the names in capitals. */
export function recordsText<Name extends string>(
  records: readonly Readonly<Record<Name, unknown>>[],
  names: readonly Name[],
  empty: string,
): string {
  const headings = names.map((name) => name.replaceAll(/[A-Z]/gu, " $&").toUpperCase());
  return tableText(
    headings,
    records.map((record) => names.map((name) => valueText(record[name]))),
    empty,
  );
}

/** Returns a record as text with a line for each field: its name and its value. */
export function recordText(record: object): string {
  return alignColumns(Object.entries(record).map(([name, value]) => [name, valueText(value)]));
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (value instanceof Date) return `${minute(value)} UTC`;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Returns rows of cells as lines, two spaces between columns; line breaks become spaces. The first row is the heading. */
export function alignColumns(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => stripControl(cell).replace(/\s*\n\s*/gu, " ")));
  const widths = (cells[0] ?? []).map((_, column) => largest(cells.map((row) => codePointLength(row[column] ?? ""))));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - codePointLength(cell)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Returns `Page 1 of 3, 12 in all.` */
export function pageText(
  { page, pageSize, total }: { readonly page: number; readonly pageSize: number; readonly total: number },
  shown: number,
): string {
  const pages = Math.max(1, Math.ceil(total / pageSize));
  const beyond = shown === 0 && total > 0 ? ` Page ${page + 1} does not exist: choose --page 1 to ${pages}.` : "";
  return `Page ${page + 1} of ${pages}, ${total} in all.${beyond}`;
}

/** Returns `1 passage`, `1,234 passages`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`;
}

const countedWords = {
  agents: ["agent", "agents"],
  modules: ["module of memory", "modules of memory"],
  tools: ["tool", "tools"],
  sources: ["source", "sources"],
  files: ["file", "files"],
  conversations: ["conversation", "conversations"],
  messages: ["message", "messages"],
  passages: ["passage", "passages"],
  identities: ["identity", "identities"],
} as const;

/** Returns `2 agents, 1 conversation`; empty if all counts are 0. */
export function countsText(counts: Readonly<Partial<Record<keyof typeof countedWords, number>>>): string {
  const parts = Object.entries(countedWords).flatMap(([key, [one, many]]) => {
    const count = counts[key as keyof typeof countedWords] ?? 0;
    return count === 0 ? [] : [counted(count, one, many)];
  });
  return parts.join(", ");
}

/** Returns a time as `2026-11-21 10:13` in UTC. */
export function minute(at: Date): string {
  return at.toISOString().slice(0, 16).replace("T", " ");
}

/** Returns the changed lines of a text: `  - old`, `  + new`. */
export function changeLines(before: string, after: string): readonly string[] {
  return diffLines(before, after).map(({ sign, text }) => `  ${sign} ${text}`);
}

/** Returns an edit as text: its time, `what` (such as the module and its editor), remarks, and the changed lines. */
export function editText(edit: Revision, what: string): string {
  const outside = trustText(edit.trust, edit.external);
  const marks = [
    ...(outside === "" ? [] : [outside]),
    ...(edit.undoes === null ? [] : [`reverts revision ${edit.undoes}`]),
  ];
  const head = `${minute(edit.at)}  ${[what, ...marks].join(", ")}`;
  return [head, ...changeLines(edit.before, edit.after)].join("\n");
}

export function tagText(tags: readonly string[] | undefined): string {
  return tags === undefined || tags.length === 0 ? "" : `[${tags.join(", ")}]`;
}

/** Returns `from outside` and the sources for the trust class `external`, and "" for the other classes. */
export function trustText(trust: Trust, external: readonly ExternalSource[] = []): string {
  if (trust !== "external") return "";
  return external.length === 0 ? "from outside" : `from outside (${externalText(external)})`;
}

export function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gmu, "  ");
}

/** Returns a text on one line, cut after `length` code points. */
export function clip(text: string, length: number): string {
  const line = text.replace(/\s+/gu, " ").trim();
  const points = Array.from(line.slice(0, length * 2));
  return points.length > length ? `${points.slice(0, length - 1).join("")}…` : line;
}

/** Returns a model, with its address unless its provider's own server runs it. */
export function modelAtText(model: string, baseUrl: string | null): string {
  return baseUrl === null ? model : `${model} at ${baseUrl}`;
}
