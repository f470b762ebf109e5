// Splits JSON lines: each line is a record and a separate section.
// Invariant: a line that is not JSON fails the file, with an error that has its number and none of its text.
import { SourceFileError } from "../../base/errors.ts";
import type { Section } from "./section.ts";

/** Throws SourceFileError. */
export function jsonLinesSections(text: string): readonly Section[] {
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    const lineFrom = index + 1;
    const record = parse(line, lineFrom);
    const heading = titleOf(record);
    const place = { lineFrom, ...(heading === undefined ? {} : { heading }) };
    return [{ text: textOf(record, lineFrom), style: "prose" as const, place }];
  });
}

function parse(line: string, number: number): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    // The parser's own message quotes the line.
    throw new SourceFileError(`line ${number.toLocaleString("en-US")} is not JSON`);
  }
}

const textFields = ["text", "content", "body"] as const;

/**
 * Returns the text of a record: the record itself, its field `text`, `content` or `body`, or else all of its fields,
 * one per line.
 */
function textOf(record: unknown, number: number): string {
  if (typeof record === "string") return record;
  if (!isObject(record)) return stringify(record, number);
  const field = textFields.find((name) => typeof record[name] === "string" && record[name] !== "");
  if (field !== undefined) return record[field] as string;
  return Object.entries(record)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : stringify(value, number)}`)
    .join("\n");
}

function titleOf(record: unknown): string | undefined {
  const title = isObject(record) ? record["title"] : undefined;
  const line = typeof title === "string" ? title.replaceAll(/\s+/gu, " ").trim() : "";
  return line === "" || line.length > 200 ? undefined : line;
}

function stringify(value: unknown, number: number): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new SourceFileError(`line ${number.toLocaleString("en-US")} is nested too deeply`, { cause });
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
