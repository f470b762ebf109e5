// conversation_search_date: finds the messages of a span of time, both ends inclusive.
import * as z from "zod";
import { defineTool, ownTool } from "../src/tool/define-tool.ts";
import {
  hitParameter,
  limitParameter,
  momentParameter,
  orderParameter,
  pageParameter,
  partParameter,
} from "../src/tool/search-parameters.ts";
import { defaultLimit, formatHit, formatSearchPage, pageOfHit } from "../src/tool/search-results.ts";

export const conversationSearchDate = ownTool(
  defineTool({
    name: "conversation_search_date",
    description: "List what was said in a span of time, in all conversations.",
    parameters: z.object({
      start_date: momentParameter("First"),
      end_date: momentParameter("Last"),
      page: pageParameter(),
      hit: hitParameter(),
      part: partParameter(),
      order: orderParameter("Default oldest; without a first day, newest.", ["oldest", "newest"]),
      limit: limitParameter(),
    }),
    effects: "memory",
    wholeResult: true,
    run: async (args, { recall, timeZone, conversationId }) => {
      const { start_date: start, end_date: end, page = 0, hit, part = 0, order, limit = defaultLimit } = args;
      const read = (which: number) => recall.searchDate(start, end, which, { order, limit });
      const context = { timeZone, conversationId };
      if (hit === undefined) return formatSearchPage(await read(page), context);
      return formatHit(await read(pageOfHit(hit, limit)), { ...context, number: hit, part });
    },
  }),
);
