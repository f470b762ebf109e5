// memory_replace: replaces a text that occurs exactly once in a section of core memory.
import * as z from "zod";
import { EditMismatchError } from "../src/base/errors.ts";
import { reportEdit, unrenderText } from "../src/memory/core/memory-module.ts";
import { nearestLine, replaceText } from "../src/memory/core/replace-text.ts";
import { defineTool, ownTool } from "../src/tool/define-tool.ts";
import type { CoreMemoryDraft } from "../src/tool/tool.ts";

export const memoryReplace = ownTool(
  defineTool({
    name: "memory_replace",
    description: "Replace a text in a section of core memory. It has to occur there exactly once.",
    parameters: z.object({
      label: z.string().describe("The section to edit."),
      old_string: z.string().describe("The text to replace, exactly as it is in the section."),
      new_string: z.string().describe("The text to write instead; an empty one removes the old text."),
    }),
    effects: "memory",
    run: ({ label, old_string: written, new_string: newContent }, { core }) => {
      if (written === "") throw new EditMismatchError("old_string is empty. Nothing was changed.");
      const before = core.read(label);
      const oldContent = before.includes(written) ? written : unrenderText(written);
      const { value, lines } = replaceText(before, { oldContent, newContent });
      if (lines.length !== 1) throw notOnce(core, label, { oldContent, lines });
      core.edit(label, () => value);
      return reportEdit(core.module(label), before);
    },
  }),
  { isInstant: true },
);

interface Occurrences {
  readonly oldContent: string;
  /** The numbers of the lines that contain `oldContent`. */
  readonly lines: readonly number[];
}

function notOnce(core: CoreMemoryDraft, label: string, { oldContent, lines }: Occurrences): EditMismatchError {
  if (lines.length > 1) {
    return new EditMismatchError(
      `old_string occurs ${lines.length} times in "${label}" (line ${[...new Set(lines)].join(", ")}). Nothing was changed. Include more of the line that you mean.`,
    );
  }
  const nearest = nearestLine(core.read(label), oldContent);
  const hint = nearest === null ? "" : ` The most similar is line ${nearest.number}: ${JSON.stringify(nearest.text)}.`;
  return new EditMismatchError(`old_string was not found in "${label}". Nothing was changed.${hint}`);
}
