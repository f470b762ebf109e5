// Converts inline Markdown to spans: emphasis, code, links, and text.
// Invariant: no information is lost: a link shows its target, an image its description.
import type { Token, Tokens } from "marked";
import { type Span, span, type Tone } from "../rows/row.ts";
import { afterMarks } from "./continuation-mark.ts";

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&nbsp;": " ",
};

/** Converts tokens to spans; `tone` applies to text without markup. */
export function inlineSpans(tokens: readonly Token[], tone: Tone): readonly Span[] {
  return tokens.flatMap((token) => tokenSpans(token, tone)).filter((part) => part.text !== "");
}

function tokenSpans(token: Token, tone: Tone): readonly Span[] {
  switch (token.type) {
    case "strong":
      return inlineSpans((token as Tokens.Strong).tokens, "strong");
    case "em":
      return inlineSpans((token as Tokens.Em).tokens, tone === "strong" ? "strong" : "emphasis");
    case "del":
      return inlineSpans((token as Tokens.Del).tokens, "deleted");
    case "codespan":
      return [span(afterMarks((token as Tokens.Codespan).text), "code")];
    case "link":
      return linkSpans(token as Tokens.Link);
    case "image":
      return imageSpans(token as Tokens.Image, tone);
    case "checkbox":
      return [];
    case "escape":
      return [span(afterMarks((token as Tokens.Escape).text), tone)];
    case "text":
      return textSpans(token as Tokens.Text, tone);
    default:
      return [span(token.type === "br" ? "\n" : afterMarks(token.raw), tone)];
  }
}

function textSpans({ tokens, text }: Tokens.Text, tone: Tone): readonly Span[] {
  return tokens === undefined ? [span(decodeEntities(afterMarks(text)), tone)] : inlineSpans(tokens, tone);
}

function linkSpans({ text, href, tokens }: Tokens.Link): readonly Span[] {
  const link = linkTo(href);
  const linked = (part: Span): Span => span(part.text, part.tone, link);
  const label = inlineSpans(tokens, "link").map(linked);
  const isBare = text === href || `mailto:${text}` === href || `http://${text}` === href;
  return isBare || href === "" ? label : [...label, ...[span(` (${afterMarks(href)})`, "faint")].map(linked)];
}

/** Returns an address that a terminal may open, in printable ASCII; undefined for another address, such as a file. */
function linkTo(href: string): string | undefined {
  if (!/^(?:https?|mailto):/iu.test(href)) return undefined;
  return encodeURI(afterMarks(href).toWellFormed()).replaceAll(/%25(?=[\da-f]{2})/giu, "%");
}

function imageSpans({ text, href }: Tokens.Image, tone: Tone): readonly Span[] {
  return [span(afterMarks(text === "" ? "image" : text), tone), span(` (${afterMarks(href)})`, "faint")];
}

function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => entities[entity] ?? entity);
}
