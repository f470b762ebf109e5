// Plain text and source code: one section from the first line to the last.
import type { Section, SectionStyle } from "./section.ts";

export function textSection(text: string, style: SectionStyle): readonly Section[] {
  return [{ text, style, place: { lineFrom: 1 } }];
}
