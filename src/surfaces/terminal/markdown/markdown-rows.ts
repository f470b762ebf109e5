// Renders Markdown as rows: blocks below each other, separated by blank rows.
// Invariant: pure; no row is wider than the width; unknown syntax is shown as source.
import type { Token, Tokens } from "marked";
import { tokenize } from "sugar-high/core";
import { lang, languages } from "sugar-high/lang";
import { appendAll } from "../../../base/lists.ts";
import { lineTones, type Row, rowWidth, type Span, span, type Tone } from "../rows/row.ts";
import { wrapSpans } from "../rows/wrap.ts";
import { afterMarks, carriedNumber, continuationMark } from "./continuation-mark.ts";
import { inlineSpans } from "./inline-spans.ts";
import { parseMarkdown } from "../../markdown/parse-markdown.ts";
import { tableRows } from "./table-rows.ts";

/** Minimum width of an indented text, in columns; a narrower one is not indented. */
const minTextWidth = 8;

interface Space {
  readonly width: number;
  /** The tone of text without markup. */
  readonly tone: Tone;
}

/** Renders a text as rows no wider than `width`. Omits source before a continuation mark: it is already drawn. */
export function markdownRows(text: string, space: Space): readonly Row[] {
  return stacked(parseMarkdown(text).map((token) => blockRows(token, space)));
}

function stacked(blocks: readonly (readonly Row[])[]): readonly Row[] {
  const drawn = blocks.filter((rows) => rows.length > 0);
  return drawn.flatMap((rows, index) => (index === 0 ? rows : [[], ...rows]));
}

function blockRows(token: Token, space: Space): readonly Row[] {
  switch (token.type) {
    case "space":
      return [];
    case "heading":
      return textRows(inlineSpans((token as Tokens.Heading).tokens, "heading"), space);
    case "paragraph":
      return textRows(inlineSpans((token as Tokens.Paragraph).tokens, space.tone), space);
    case "text":
      return textRows(inlineSpans([token], space.tone), space);
    case "code":
      return codeRows(token as Tokens.Code, space);
    case "list":
      return listRows(token as Tokens.List, space);
    case "blockquote":
      return quoteRows(token as Tokens.Blockquote, space);
    case "table":
      return tableRows(token as Tokens.Table, space);
    case "hr":
      return [[span("─".repeat(space.width), "faint")]];
    default:
      return textRows([span(afterMarks(token.raw), token.type === "def" ? "faint" : space.tone)], space);
  }
}

function textRows(spans: readonly Span[], { width }: Space): readonly Row[] {
  if (spans.every(({ text }) => text.trim() === "")) return [];
  return withoutBlankEnds(wrapSpans(spans, { width }));
}

function codeRows({ text, lang = "" }: Tokens.Code, { width }: Space): readonly Row[] {
  const [language = ""] = lang.split(/[\s,{:]/);
  const spans = afterMark(codeSpans(text, language));
  if (spans.length === 0) return [];
  return wrapSpans(spans, { width, ...(width < minTextWidth ? {} : { lead: [span("  ")] }) });
}

/** Returns the code after the last continuation mark, highlighted in the context of the code before it. */
function afterMark(spans: readonly Span[]): readonly Span[] {
  const at = spans.findLastIndex(({ text }) => text.includes(continuationMark));
  const marked = spans[at];
  if (marked === undefined) return spans;
  const rest = marked.text.slice(marked.text.lastIndexOf(continuationMark) + 1);
  const after = [{ ...marked, text: rest }, ...spans.slice(at + 1)].filter(({ text }) => text !== "");
  const [first, ...others] = after;
  if (first === undefined || !first.text.startsWith("\n")) return after;
  return [{ ...first, text: first.text.slice(1) }, ...others].filter(({ text }) => text !== "");
}

function listRows(list: Tokens.List, space: Space): readonly Row[] {
  const start = list.start === "" ? 1 : list.start;
  const carried = carriedNumber(list.items[0]?.text ?? "");
  return list.items.flatMap((item, index) => {
    const number = carried === null ? start + index : carried + index;
    return indented(itemBlocks(item, space), {
      lead: item.text.startsWith(continuationMark) ? null : itemMark(list, item, number),
      room: (list.ordered ? `${number}. ` : "• ").length,
      space,
    });
  });
}

function itemMark(list: Tokens.List, item: Tokens.ListItem, number: number): Row {
  const bullet = span(list.ordered ? `${number}. ` : "• ", "accent");
  return item.task ? [bullet, span(item.checked === true ? "[x] " : "[ ] ", "accent")] : [bullet];
}

/** Renders the blocks of an item, with blank rows only before paragraphs and code. */
function itemBlocks(item: Tokens.ListItem, space: Space): (inner: Space) => readonly Row[] {
  return (inner) => {
    const rows: Row[] = [];
    let isFirst = true;
    for (const token of item.tokens) {
      if (token.type === "checkbox" || token.type === "space") continue;
      const drawn = blockRows(token, { ...inner, tone: space.tone });
      if (drawn.length > 0 && !isFirst && !isJoined(token)) rows.push([]);
      appendAll(rows, drawn);
      if (drawn.length > 0 || token.raw.includes(continuationMark)) isFirst = false;
    }
    return rows;
  };
}

/** Whether there is no blank row between this block of an item and the block above. */
function isJoined(token: Token): boolean {
  return token.type === "list" || (token.type === "code" && token.raw.includes(continuationMark));
}

/** Indents rows after `lead`, the bullet or number on the first row; `lead` is null if an earlier part has drawn it. */
function indented(
  draw: (inner: Space) => readonly Row[],
  { lead, room, space }: { readonly lead: Row | null; readonly room: number; readonly space: Space },
): readonly Row[] {
  const taken = Math.max(room, rowWidth(lead ?? []));
  if (space.width - taken < minTextWidth) return [...(lead === null ? [] : [lead]), ...draw(space)];
  const rows = draw({ ...space, width: space.width - taken });
  const margin = span(" ".repeat(room));
  if (lead === null) return rows.map((row) => (row.length === 0 ? row : [margin, ...row]));
  return [[...lead, ...(rows[0] ?? [])], ...rows.slice(1).map((row) => (row.length === 0 ? row : [margin, ...row]))];
}

function quoteRows({ tokens }: Tokens.Blockquote, space: Space): readonly Row[] {
  const isNarrow = space.width - 2 < minTextWidth;
  const rows = stacked(
    tokens.map((token) => blockRows(token, isNarrow ? space : { ...space, width: space.width - 2 })),
  );
  return isNarrow ? rows : rows.map((row) => [span("│ ", "faint"), ...row]);
}

function withoutBlankEnds(rows: readonly Row[]): readonly Row[] {
  const isText = (row: Row): boolean => row.some(({ text }) => text.trim() !== "");
  return rows.slice(rows.findIndex(isText), rows.findLastIndex(isText) + 1);
}

/** Maximum length of scanned code, in UTF-16 units: some scanners take quadratic time. */
const maxScannedLength = 20_000;
const maxLineLength = 1_000;

// The tones of the kinds of tokens that the package sugar-high returns, by the number of the kind.
const tones: readonly Tone[] = [
  "code", // identifier
  "keyword",
  "string",
  "literal", // class, number
  "code", // property
  "code", // entity
  "string", // text between tags
  "code", // sign
  "comment",
  "code", // break
  "code", // space
];

/**
 * Returns the code as spans, highlighted for its language (the word after the fence). The concatenated spans are the code;
 * code in an unknown language, or very long code, has one tone.
 */
function codeSpans(code: string, language: string): readonly Span[] {
  if (language === "diff") return code.split(/^/mu).map((line) => span(line, lineTones[line[0] ?? ""] ?? "code"));
  const name = lang(language);
  const config = languages.find(({ id }) => id === name)?.config;
  if (config === undefined || !isScannable(code)) return [span(code, "code")];
  const spans = tokenize(code, config).map(([kind, text]) => span(text, tones[kind] ?? "code"));
  return spans.map(({ text }) => text).join("") === code ? spans : [span(code, "code")];
}

function isScannable(code: string): boolean {
  return code.length <= maxScannedLength && code.split("\n").every((line) => line.length <= maxLineLength);
}
