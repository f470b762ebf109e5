// Reads a file's bytes as sections, with the reader of its kind: plain text is one section, and JSON Lines has one
// section per record. Text is UTF-8, or UTF-16 by its byte order mark, or in the encoding that the file declares;
// nothing is guessed.
// Invariant: the readers of HTML and PDF are loaded with the first file of their kind; a file fails if a text cannot be
// decoded exactly or a line is not JSON. The error does not quote the file.
import { SourceFileError } from "../../base/errors.ts";
import { isObject } from "../../base/json-values.ts";
import type { SourceFileKind } from "../../store/port/source-store.ts";
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

/** Returns the sections of a file. Throws SourceFileError with the reason for a file that cannot be read or has no text. */
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

/** Returns one section per record. Throws SourceFileError for a line that is not JSON. */
function jsonLinesSections(text: string): readonly Section[] {
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    const lineFrom = index + 1;
    const record = parse(line, lineFrom);
    const heading = titleOf(record);
    const place = { lineFrom, lineTo: lineFrom, ...(heading === undefined ? {} : { heading }) };
    return [{ text: textOf(record, lineFrom), style: "prose" as const, place }];
  });
}

function parse(line: string, number: number): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    // The parser's own message is not passed on, because it quotes the line.
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

/**
 * Returns the text of a file. Throws SourceFileError for an empty file, for one that is not text, and for an unsupported
 * encoding. `declared`: the encoding that the file names, if any; an unknown one is ignored.
 */
function decodeText(bytes: Uint8Array, declared?: string): string {
  if (bytes.byteLength === 0) throw new SourceFileError("it is empty");
  const mark = marks.find(({ start }) => start.every((byte, index) => bytes[index] === byte));
  const text = decodeAs(bytes, mark?.encoding ?? knownEncoding(declared) ?? "utf-8");
  if (isBinary(text)) throw new SourceFileError("it is not text: it contains control characters");
  return text;
}

const marks = [
  { encoding: "utf-8", start: [0xef, 0xbb, 0xbf] },
  { encoding: "utf-16le", start: [0xff, 0xfe] },
  { encoding: "utf-16be", start: [0xfe, 0xff] },
] as const;

function knownEncoding(declared: string | undefined): string | undefined {
  try {
    return declared === undefined ? undefined : new TextDecoder(declared).encoding;
  } catch {
    return undefined;
  }
}

function decodeAs(bytes: Uint8Array, encoding: string): string {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return encoding === "windows-1252"
      ? text.replaceAll(/[\u0080-\u009f]/gu, (control) => windowsSigns[control.charCodeAt(0) - 0x80] ?? control)
      : text;
  } catch (cause) {
    throw new SourceFileError(
      encoding === "utf-8" ? whyNotUtf8(bytes) : `it declares ${encoding}, but has another encoding`,
      {
        cause,
      },
    );
  }
}

/** The 32 characters of Windows-1252 that Node 20 to 23 decode as the control characters of Latin-1. */
const windowsSigns = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

function whyNotUtf8(bytes: Uint8Array): string {
  if (bytes.subarray(0, 8192).includes(0)) return "it is not text: it contains zero bytes";
  if (isBeginning(bytes)) return "it is truncated in the middle of a character";
  const byte = (firstInvalidByte(bytes) + 1).toLocaleString("en-US");
  return `it is not UTF-8: byte ${byte} is invalid. Save it as UTF-8`;
}

/** Returns the start of the first invalid UTF-8 sequence, found by bisection. */
function firstInvalidByte(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.byteLength;
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1;
    if (isBeginning(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  // The invalid sequence may begin up to three bytes earlier, because `isBeginning` accepts an incomplete sequence.
  const begun = [1, 2, 3].find((length) => {
    const sequence = bytes.subarray(Math.max(0, good - length), good);
    return sequence.length === length && sequence[0]! >= 0xc2 && isBeginning(sequence);
  });
  return begun === undefined ? good : good - begun;
}

function isBeginning(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns whether a text has control characters other than those of text files: tab to carriage return, escape, and the
 * DOS end mark.
 */
function isBinary(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- these characters are the target of the search
  return /[\u0000-\u0008\u000e-\u0019\u001c-\u001f]/u.test(text);
}

// HTML standard, 4.2.5.4: the declaration of the encoding is within the first 1,024 bytes.
const headBytes = 1024;

/** Returns the encoding of `<meta charset=windows-1252>` or of its older form; undefined if there is neither. */
function htmlCharset(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(headBytes, bytes.byteLength)).toString("latin1");
  return /<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w-]{1,40})/iu.exec(head)?.[1];
}
