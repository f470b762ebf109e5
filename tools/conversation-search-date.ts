// conversation_search_date: finds the messages of a range of days, both inclusive.
import * as z from "zod";
import { defineTool, ownTool } from "../src/tool/define-tool.ts";
import { formatSearchPage, neighboursParameter, pageParameter } from "../src/tool/search-results.ts";

export const conversationSearchDate = ownTool(
  defineTool({
    name: "conversation_search_date",
    description: "Search prior conversation history by date. Both days are included.",
    parameters: z.object({
      start_date: z.string().describe("The first day to search, in the format YYYY-MM-DD."),
      end_date: z.string().describe("The last day to search, in the format YYYY-MM-DD."),
      page: pageParameter(),
      neighbours: neighboursParameter(),
    }),
    effects: "memory",
    wholeResult: true,
    run: async ({ start_date: start, end_date: end, page, neighbours }, { recall, timeZone }) =>
      formatSearchPage(await recall.searchDate(start, end, page ?? 0, { neighbours: neighbours ?? 0 }), timeZone),
  }),
);
