// conversation_search: finds earlier messages of the user and the agent, by words and meaning.
import * as z from "zod";
import { defineTool, ownTool } from "../src/tool/define-tool.ts";
import {
  hitParameter,
  limitParameter,
  momentParameter,
  neighboursParameter,
  orderParameter,
  pageParameter,
  partParameter,
  speakerParameter,
} from "../src/tool/search-parameters.ts";
import { defaultLimit, formatHit, formatSearchPage, pageOfHit } from "../src/tool/search-results.ts";

export const conversationSearch = ownTool(
  defineTool({
    name: "conversation_search",
    description:
      'Search what was said, in all conversations, by words and meaning; in double quotes, an exact text. In results, "you" is yourself.',
    parameters: z.object({
      query: z.string().describe("What to search for."),
      page: pageParameter(),
      hit: hitParameter(),
      part: partParameter(),
      start_date: momentParameter("First"),
      end_date: momentParameter("Last"),
      speaker: speakerParameter(),
      order: orderParameter("Default best; the others sort all results by time."),
      limit: limitParameter(),
      neighbours: neighboursParameter(),
    }),
    effects: "memory",
    wholeResult: true,
    run: async (args, { recall, timeZone, conversationId }) => {
      const { query, page = 0, hit, part = 0, limit = defaultLimit, ...narrowed } = args;
      const { start_date: startDate, end_date: endDate, ...options } = narrowed;
      const asked = { ...options, startDate, endDate, limit };
      const context = { timeZone, conversationId, query };
      if (hit === undefined) return formatSearchPage(await recall.search(query, page, asked), context);
      const found = await recall.search(query, pageOfHit(hit, limit), asked);
      return formatHit(found, { ...context, number: hit, part });
    },
  }),
);
