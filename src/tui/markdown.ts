// The little of Markdown that a streamed reply needs: bold, code, headings and fenced blocks.
// Invariant: what is not understood is shown as it was written; only the marks of what was understood are taken away.
import { type Span, span, type Tone } from "./row.ts";

const inline = /\*\*(?=\S)(.+?)(?<=\S)\*\*|`([^`\n]+)`/g;

export interface MarkdownText {
  readonly spans: readonly Span[];
  /** Whether the text ends within a fenced block, so that what follows is code too. */
  readonly fenced: boolean;
}

/** The text with tones for its Markdown. `fenced` says whether it begins within a fenced block. */
export function markdownSpans(text: string, options: { readonly fenced: boolean; readonly tone?: Tone }): MarkdownText {
  const tone = options.tone ?? "plain";
  const spans: Span[] = [];
  let fenced = options.fenced;
  for (const [index, line] of text.split("\n").entries()) {
    if (index > 0) spans.push(span("\n", tone));
    if (/^\s*(```|~~~)/.test(line)) {
      fenced = !fenced;
      spans.push(span(line, "faint"));
    } else {
      spans.push(...(fenced ? [span(line, "code")] : lineSpans(line, tone)));
    }
  }
  return { spans, fenced };
}

function lineSpans(line: string, tone: Tone): readonly Span[] {
  const heading = /^#{1,6}\s+(.*)$/.exec(line);
  if (heading !== null) return [span(heading[1] ?? "", "strong")];
  const spans: Span[] = [];
  let end = 0;
  for (const match of line.matchAll(inline)) {
    spans.push(span(line.slice(end, match.index), tone));
    spans.push(match[1] === undefined ? span(match[2] ?? "", "code") : span(match[1], "strong"));
    end = match.index + match[0].length;
  }
  spans.push(span(line.slice(end), tone));
  return spans.filter((part) => part.text !== "");
}
