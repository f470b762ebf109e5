// semantic_search_files: finds passages of the files of attached sources by meaning and by their words.
import * as z from "zod";
import { defineTool } from "../src/tool/define-tool.ts";
import { formatSearchPage } from "../src/tool/search-results.ts";

export const semanticSearchFiles = defineTool({
  name: "semantic_search_files",
  description: "Search the files of attached sources by meaning and words. Each result names its file and lines.",
  parameters: z.object({
    query: z.string().describe("What to search for."),
    limit: z.int().min(1).max(20).optional().describe("Number of results; default 5."),
  }),
  effects: "memory",
  wholeResult: true,
  async run({ query, limit = 5 }, { archival, timeZone }) {
    const found = await archival.search({ query, page: 0, pageSize: limit, kinds: ["document"] });
    return formatSearchPage(found, { timeZone, query });
  },
});
