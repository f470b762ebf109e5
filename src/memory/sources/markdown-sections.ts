// Splits Markdown by headings: each section is a heading with the text up to the next heading.
// Invariant: the concatenated sections equal the file; a `#` inside a code fence is not a heading.
import { createHeadingTrail, type Section } from "./section.ts";

interface Heading {
  readonly level: number;
  readonly text: string;
  /** Index of the heading's first line. */
  readonly line: number;
}

export function markdownSections(text: string): readonly Section[] {
  const lines = text.split(/(?<=\n)/u);
  const headings = headingsOf(lines);
  const starts = [{ level: 0, text: "", line: 0 }, ...headings];
  const trail = createHeadingTrail();
  const sections: Section[] = [];
  let from = 0;
  starts.forEach((start, index) => {
    if (start.level > 0) trail.enter(start.level, start.text);
    const end = starts[index + 1]?.line ?? lines.length;
    // A heading without content is merged with the next section.
    if (end < lines.length && !hasBody(lines.slice(start.line, end), start)) return;
    const body = lines.slice(from, end).join("");
    const heading = trail.line();
    const place = { lineFrom: from + 1, ...(heading === undefined ? {} : { heading }) };
    if (body !== "") sections.push({ text: body, style: "prose", place });
    from = end;
  });
  return sections;
}

function hasBody(lines: readonly string[], { level }: Heading): boolean {
  const underlined = level > 0 && !marks.test(lines[0] ?? "");
  return lines.slice(level === 0 ? 0 : underlined ? 2 : 1).some((line) => line.trim() !== "");
}

const fence = /^ {0,3}(`{3,}|~{3,})/u;
const marks = /^ {0,3}(#{1,6})(?=\s|$)/u;
const underline = /^ {0,3}(=+|-+)[ \t]*\r?\n?$/u;
/** Lines that an underline does not turn into a heading: a blank line, a list, a quotation, code, another heading, a table. */
const noTitle = /^(?:\s*$| {0,3}(?:[-*+>#|]|\d{1,9}[.)][ \t])|\t| {4})/u;

/**
 * Returns the headings that sections 4.2, 4.3 and 4.5 of CommonMark 0.31 define, with one difference: if the title
 * above an underline has several lines, only its last line is used.
 */
function headingsOf(lines: readonly string[]): readonly Heading[] {
  const headings: Heading[] = [];
  let open: string | undefined;
  for (let line = frontMatterEnd(lines); line < lines.length; line += 1) {
    const text = lines[line]!;
    const mark = fence.exec(text)?.[1];
    if (open !== undefined) {
      if (mark?.[0] === open[0] && mark!.length >= open.length && text.trim() === mark) open = undefined;
    } else if (mark !== undefined) open = mark;
    else {
      const heading = headingAt(lines, line);
      if (heading !== undefined) headings.push(heading);
    }
  }
  return headings;
}

function headingAt(lines: readonly string[], line: number): Heading | undefined {
  const text = lines[line]!;
  const marked = marks.exec(text);
  if (marked !== null) return { level: marked[1]!.length, text: withoutClosing(text.slice(marked[0].length)), line };
  const next = lines[line + 1];
  const under = next === undefined || noTitle.test(text) ? undefined : underline.exec(next)?.[1];
  return under === undefined ? undefined : { level: under.startsWith("=") ? 1 : 2, text, line };
}

/** Returns the title of a heading without its closing marks: `Title` for `Title ##`. */
function withoutClosing(text: string): string {
  const title = text.trim();
  let end = title.length;
  while (title[end - 1] === "#") end -= 1;
  return end === 0 || /\s/u.test(title[end - 1]!) ? title.slice(0, end) : title;
}

/** Returns the index of the first line after a front matter block between two `---` lines; 0 if there is none. */
function frontMatterEnd(lines: readonly string[]): number {
  if (lines[0]?.trimEnd() !== "---") return 0;
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---");
  return end < 0 ? 0 : end + 1;
}
