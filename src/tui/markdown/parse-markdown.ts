// Reads Markdown (GitHub's dialect) with marked's lexer.
// Invariant: the work is linear in the length of the text but for paragraphs, whose length is bounded; no text is too deep.
import { Lexer, type Token } from "marked";

/** Marked takes quadratic time over the emphasis of one paragraph; longer ones are shown as they were written. */
const longestInline = 4_000;
/** Containers that begin on one line. Marked calls itself for each. */
const tooManyContainers = /^(?:[ ]{0,8}(?:>|[-*+] |\d{1,9}[.)] )){12}/m;
const tooDeepIndent = /^ {60}[ ]*(?:[-*+]|\d{1,9}[.)]) /m;

/** The blocks of a text, in order. Their `raw` texts together are the text. */
export function parseMarkdown(text: string): readonly Token[] {
  if (tooManyContainers.test(text) || tooDeepIndent.test(text)) return [plainBlock(text)];
  const lexer = new Lexer({ gfm: true });
  lexer.blockTokens(text, lexer.tokens);
  for (const { src, tokens } of lexer.inlineQueue) {
    if (src.length <= longestInline) lexer.inlineTokens(src, tokens);
    else tokens.push({ type: "text", raw: src, text: src, escaped: false });
  }
  return lexer.tokens;
}

function plainBlock(text: string): Token {
  return { type: "paragraph", raw: text, text, tokens: [{ type: "text", raw: text, text, escaped: false }] };
}
