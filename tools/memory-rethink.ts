// memory_rethink: replaces the whole text of a section of core memory.
import * as z from "zod";
import { withoutOuterBreaks } from "../src/memory/core/base-memory.ts";
import { reportEdit } from "../src/memory/core/memory-module.ts";
import { defineTool, ownTool } from "../src/tool/define-tool.ts";

export const memoryRethink = ownTool(
  defineTool({
    name: "memory_rethink",
    description: "Write a whole section of core memory anew, for large changes. What you leave out is removed.",
    parameters: z.object({
      label: z.string().describe("The section to edit."),
      new_memory: z.string().describe("The complete new text of the section."),
    }),
    effects: "memory",
    run: ({ label, new_memory: text }, { core }) => {
      core.edit(label, () => withoutOuterBreaks(text));
      return reportEdit(core.module(label), null);
    },
  }),
  { isInstant: true },
);
