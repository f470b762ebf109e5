// memory_insert: adds text to a section of core memory, at its end or after one of its lines.
import * as z from "zod";
import { EditMismatchError } from "../src/base/errors.ts";
import { reportEdit } from "../src/memory/core/memory-module.ts";
import { defineTool, ownTool } from "../src/tool/define-tool.ts";

export const memoryInsert = ownTool(
  defineTool({
    name: "memory_insert",
    description: "Add text to a section of core memory, on a line of its own.",
    parameters: z.object({
      label: z.string().describe("The section to edit."),
      new_string: z.string().describe("The text to add."),
      insert_line: z
        .int()
        .optional()
        .describe("The line after which to add it: 0 for the beginning; leave it out, or -1, for the end."),
    }),
    effects: "memory",
    run: ({ label, new_string: text, insert_line: line = -1 }, { core }) => {
      if (text.trim() === "") throw new EditMismatchError("new_string is empty. Nothing was changed.");
      const before = core.read(label);
      if (line === -1) core.append(label, text);
      else core.edit(label, (value) => insertAfter(value, line, text));
      return reportEdit(core.module(label), before);
    },
  }),
  { isInstant: true },
);

function insertAfter(value: string, line: number, text: string): string {
  const lines = value === "" ? [] : value.split("\n");
  if (line < 0 || line > lines.length) {
    throw new EditMismatchError(
      `insert_line has to be from 0 to ${lines.length}, the number of lines of the section, or -1 for its end; got ${line}. Nothing was changed.`,
    );
  }
  return [...lines.slice(0, line), text, ...lines.slice(line)].join("\n");
}
