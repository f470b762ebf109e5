// Highlights code with sugar-high's scanners.
// Invariant: the concatenated spans are the code; code in an unknown language, or very long code, has one tone.
import { tokenize } from "sugar-high/core";
import { lang, languages } from "sugar-high/lang";
import { type Span, span, type Tone } from "../rows/row.ts";

/** Maximum length of scanned code, in UTF-16 units: some scanners take quadratic time. */
const maxScannedLength = 20_000;
const maxLineLength = 1_000;

// Sugar-high's kinds of tokens, by their number.
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

/** Returns the code as spans, highlighted for its language (the word after the fence). */
export function codeSpans(code: string, language: string): readonly Span[] {
  const name = lang(language);
  const config = languages.find(({ id }) => id === name)?.config;
  if (config === undefined || !isScannable(code)) return [span(code, "code")];
  const spans = tokenize(code, config).map(([kind, text]) => span(text, tones[kind] ?? "code"));
  return spans.map(({ text }) => text).join("") === code ? spans : [span(code, "code")];
}

function isScannable(code: string): boolean {
  return code.length <= maxScannedLength && code.split("\n").every((line) => line.length <= maxLineLength);
}
