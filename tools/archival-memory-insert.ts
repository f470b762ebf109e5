// archival_memory_insert: stores text that does not belong in core memory, or corrects stored text.
import * as z from "zod";
import { defineTool, ownTool } from "../src/tool/define-tool.ts";
import { hitList, shownId } from "../src/tool/search-results.ts";

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
      replaces: z
        .array(z.string().describe("One id."))
        .optional()
        .describe("Ids of passages that this one corrects or that are no longer true."),
    }),
    effects: "memory",
    run: async ({ content, tags = [], replaces = [] }, { archival, timeZone }) => {
      const { id, closest } = await archival.insert(content, { tags, replaces });
      const filed = tags.length === 0 ? [] : [`filed under ${tags.join(", ")}`];
      const instead = replaces.length === 0 ? [] : [`in place of ${replaces.join(", ")}`];
      const saved = `${["Saved in archival memory", `id ${shownId({ id })}`, ...filed, ...instead].join(", ")}.`;
      if (closest.length === 0) return saved;
      const hint = "The closest there. If one is no longer true, save this again with its id in replaces:";
      return [saved, hint, ...hitList(closest, { timeZone, query: content })].join("\n");
    },
  }),
  { confirms: true },
);
