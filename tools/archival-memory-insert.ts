// archival_memory_insert: stores text that does not belong in core memory.
import * as z from "zod";
import { defineTool, ownTool } from "../src/tool/define-tool.ts";

export const archivalMemoryInsert = ownTool(
  defineTool({
    name: "archival_memory_insert",
    description: "Save a text in archival memory, in words that a later search would use.",
    parameters: z.object({
      content: z.string().min(1).describe("One fact, story or thought that is understood without this conversation."),
      tags: z
        .array(z.string().min(1).describe("One tag."))
        .optional()
        .describe("Words to file it under, to narrow later searches."),
    }),
    effects: "memory",
    run: async ({ content, tags = [] }, { archival }) => {
      await archival.insert(content, { tags });
      return tags.length === 0 ? "Saved in archival memory." : `Saved in archival memory under ${tags.join(", ")}.`;
    },
  }),
  { isInstant: true },
);
