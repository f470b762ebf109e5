// archival_memory_search: finds passages by meaning and by their words.
import * as z from "zod";
import { defineTool, ownTool } from "../src/tool/define-tool.ts";
import {
  hitParameter,
  limitParameter,
  momentParameter,
  pageParameter,
  partParameter,
} from "../src/tool/search-parameters.ts";
import { defaultLimit, formatHit, formatSearchPage, pageOfHit } from "../src/tool/search-results.ts";

export const archivalMemorySearch = ownTool(
  defineTool({
    name: "archival_memory_search",
    description: "Search archival memory and attached sources by words and meaning; in double quotes, an exact text.",
    parameters: z.object({
      query: z
        .string()
        .optional()
        .describe("What to search for. Without it, all of these tags and days, newest first."),
      page: pageParameter(),
      hit: hitParameter(),
      part: partParameter(),
      tags: z.array(z.string().describe("One tag.")).optional().describe("Only memories filed under these."),
      tag_match_mode: z
        .enum(["any", "all"])
        .optional()
        .describe("Whether any of the tags must match (the default), or all."),
      start_date: momentParameter("First"),
      end_date: momentParameter("Last"),
      limit: limitParameter(),
    }),
    effects: "memory",
    wholeResult: true,
    run: async ({ query: asked, page = 0, hit, part = 0, tags, ...narrowed }, { archival, timeZone }) => {
      const query = asked?.trim() === "" ? undefined : asked;
      const { tag_match_mode: mode, start_date: startDate, end_date: endDate, limit = defaultLimit } = narrowed;
      const found = await archival.search({
        // Without a query, documents are left out: they have no tags, and their time is when they were loaded.
        ...(query === undefined ? { kinds: ["memory", "fact"] } : { query }),
        page: hit === undefined ? page : pageOfHit(hit, limit),
        pageSize: limit,
        ...(tags === undefined ? {} : { [mode === "all" ? "allTags" : "tags"]: tags }),
        startDate,
        endDate,
      });
      const context = { timeZone, ...(query === undefined ? {} : { query }) };
      return hit === undefined ? formatSearchPage(found, context) : formatHit(found, { ...context, number: hit, part });
    },
  }),
);
