// Reads a file's bytes as sections, with the reader of its kind: plain text is one section, and each record of JSON
// lines another.
// Invariant: a reader for other kinds is loaded for the first file of its kind; a line that is not JSON fails the file,
// with an error that has its number and none of its text.
import { SourceFileError } from "../../base/errors.ts";
import type { SourceFileKind } from "../../store/port/source-store.ts";
import { decodeText, htmlCharset } from "./decode-text.ts";
import { markdownSections } from "./markdown-sections.ts";
import { maxCharacters, type Section, type SectionStyle, tooMuchText } from "./section.ts";

type Reader = (bytes: Uint8Array) => readonly Section[] | Promise<readonly Section[]>;

const readers: Readonly<Record<SourceFileKind, Reader>> = {
  text: (bytes) => textSection(decodeText(bytes), "prose"),
  code: (bytes) => textSection(decodeText(bytes), "code"),
  markdown: (bytes) => markdownSections(decodeText(bytes)),
  "json-lines": (bytes) => jsonLinesSections(decodeText(bytes)),
  async html(bytes) {
    const text = decodeText(bytes, htmlCharset(bytes));
    const { htmlSections } = await import("./html-sections.ts");
    return htmlSections(text);
  },
  async pdf(bytes) {
    if (bytes.byteLength === 0) throw new SourceFileError("it is empty");
    const { pdfSections } = await import("./pdf-sections.ts");
    return pdfSections(bytes);
  },
};

/** Throws SourceFileError with the reason for a file that cannot be read, also for one without text. */
export async function readSections(bytes: Uint8Array, kind: SourceFileKind): Promise<readonly Section[]> {
  const sections = await readers[kind](bytes);
  if (sections.reduce((sum, { text }) => sum + text.length, 0) > maxCharacters) throw tooMuchText();
  if (sections.some(({ text }) => /\S/u.test(text))) return sections;
  throw new SourceFileError(
    kind === "pdf" ? "it contains no text: its pages may be images" : "it contains only white space",
  );
}

function textSection(text: string, style: SectionStyle): readonly Section[] {
  return [{ text, style, place: { lineFrom: 1 } }];
}

/** Throws SourceFileError. */
function jsonLinesSections(text: string): readonly Section[] {
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
