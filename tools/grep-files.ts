// grep_files: finds lines of the files of attached sources by a regular expression.
import * as z from "zod";
import { defineTool } from "../src/tool/define-tool.ts";
import type { FoundLine, FoundLines } from "../src/tool/tool.ts";

/** Maximum length of a shown line, in UTF-16 units. */
const maxLength = 300;

export const grepFiles = defineTool({
  name: "grep_files",
  description: "Find lines in the files of attached sources by a regular expression, in any case. 20 matches a page.",
  parameters: z.object({
    pattern: z.string().min(1).max(500).describe("A regular expression."),
    include: z.string().max(200).optional().describe("Only files whose name matches, such as *.md."),
    context_lines: z.int().min(0).max(10).optional().describe("Lines before and after each match; default 1."),
    offset: z.int().min(0).max(1_000_000).optional().describe("Matches to skip; default 0."),
  }),
  effects: "memory",
  async run({ pattern, include, context_lines: around = 1, offset = 0 }, { files }) {
    return matchesText(await files.findLines({ pattern, include, around, offset }), offset);
  },
});

function matchesText({ files, total, lines }: FoundLines, offset: number): string {
  if (files === 0) return "No file has such a name.";
  if (lines.length === 0)
    return total === 0 && offset === 0 ? `No line matches, in ${files} files.` : "No more matches.";
  const last = offset + lines.length;
  const next = last < total || lines.length === 20 ? ` The next: offset ${last}.` : "";
  return [`Matches ${offset + 1} to ${last} of ${total}.${next}`, ...lines.map(lineText)].join("\n");
}

function lineText({ file, page, line, text, before, after }: FoundLine): string {
  const place = [file, ...(page === undefined ? [] : [`page ${page}`]), ...(line === undefined ? [] : [line])].join(
    ":",
  );
  const beside = (texts: readonly string[]): readonly string[] => texts.map((one) => `    ${clipped(one)}`);
  return [...beside(before), `${place}: ${clipped(text)}`, ...beside(after)].join("\n");
}

function clipped(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}…` : text;
}
