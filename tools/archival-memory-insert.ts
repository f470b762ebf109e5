// archival_memory_insert: stores text that does not belong in core memory.
import * as z from "zod";
import { defineTool, ownTool } from "../src/tool/define-tool.ts";

export const archivalMemoryInsert = ownTool(
  defineTool({
    name: "archival_memory_insert",
    description:
      "Add to archival memory. Make sure to phrase the memory contents such that it can be easily queried later.",
    parameters: z.object({
      content: z
        .string()
        .min(1)
        .describe("Content to write to the memory. All unicode (including emojis) are supported."),
      tags: z
        .array(z.string().min(1).describe("One tag."))
        .optional()
        .describe("Words to file it under, to narrow later searches."),
    }),
    effects: "memory",
    run: ({ content, tags }, { archival }) => archival.insert(content, tags === undefined ? {} : { tags }),
  }),
);
