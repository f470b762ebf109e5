// archival_memory_search: finds passages by meaning and by their words.
import * as z from "zod";
import { defineTool, ownTool } from "../src/tool/define-tool.ts";
import { formatSearchPage, pageParameter } from "../src/tool/search-results.ts";

const day = (which: string) =>
  z.string().optional().describe(`${which} day of the memories to search, YYYY-MM-DD, included.`);

export const archivalMemorySearch = ownTool(
  defineTool({
    name: "archival_memory_search",
    description: "Search archival memory by meaning and by words. A query in double quotes finds exactly that text.",
    parameters: z.object({
      query: z.string().describe("What to search for."),
      page: pageParameter(),
      tags: z.array(z.string().describe("One tag.")).optional().describe("Only memories filed under these."),
      tag_match_mode: z
        .enum(["any", "all"])
        .optional()
        .describe("Whether a memory must be filed under any of the tags (the default) or under all of them."),
      start_date: day("First"),
      end_date: day("Last"),
    }),
    effects: "memory",
    wholeResult: true,
    run: async ({ query, page, tags, ...narrowed }, { archival, timeZone }) => {
      const { tag_match_mode: mode, start_date: startDate, end_date: endDate } = narrowed;
      const found = await archival.search({
        query,
        page: page ?? 0,
        ...(tags === undefined ? {} : { [mode === "all" ? "allTags" : "tags"]: tags }),
        ...(startDate === undefined ? {} : { startDate }),
        ...(endDate === undefined ? {} : { endDate }),
      });
      return formatSearchPage(found, timeZone);
    },
  }),
);
