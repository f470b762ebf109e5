// conversation_search: finds earlier messages of either side, by words and meaning.
import * as z from "zod";
import { defineTool, ownTool } from "../src/tool/define-tool.ts";
import { formatSearchPage, neighboursParameter, pageParameter } from "../src/tool/search-results.ts";

export const conversationSearch = ownTool(
  defineTool({
    name: "conversation_search",
    description:
      "Search prior conversation history, of both sides, by words (case-insensitive) and by meaning. A query in double quotes finds exactly that text.",
    parameters: z.object({
      query: z.string().describe("Words or text to search for."),
      page: pageParameter(),
      neighbours: neighboursParameter(),
    }),
    effects: "memory",
    wholeResult: true,
    run: async ({ query, page, neighbours }, { recall, timeZone }) =>
      formatSearchPage(await recall.search(query, page ?? 0, { neighbours: neighbours ?? 0 }), timeZone),
  }),
);
