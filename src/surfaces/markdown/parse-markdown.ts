// Parses Markdown (GitHub's dialect) with marked's lexer.
// Invariant: time is linear in the length of the text, except within paragraphs of limited length; nesting is limited.
import { Lexer, type Token } from "marked";

/**
 * Maximum length of a paragraph, in UTF-16 units. Longer paragraphs are shown as source, because Marked takes quadratic time
 * for emphasis.
 */
const maxInlineLength = 4_000;
/** Matches a line on which 12 quotes or list items begin. Marked recurses for each of them. */
const tooManyContainers = /^(?:[ ]{0,8}(?:>|[-*+] |\d{1,9}[.)] )){12}/m;
const tooDeepIndent = /^ {60}[ ]*(?:[-*+]|\d{1,9}[.)]) /m;

/** Returns the blocks of a text, in order. The concatenation of their `raw` fields is the text. */
export function parseMarkdown(text: string): readonly Token[] {
  if (tooManyContainers.test(text) || tooDeepIndent.test(text)) return [plainBlock(text)];
  const lexer = new Lexer({ gfm: true });
  lexer.blockTokens(text, lexer.tokens);
  for (const { src, tokens } of lexer.inlineQueue) {
    if (src.length <= maxInlineLength) lexer.inlineTokens(src, tokens);
    else tokens.push({ type: "text", raw: src, text: src, escaped: false });
  }
  return lexer.tokens;
}

function plainBlock(text: string): Token {
  return { type: "paragraph", raw: text, text, tokens: [{ type: "text", raw: text, text, escaped: false }] };
}
