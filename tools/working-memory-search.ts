// working_memory_search: finds recent tool results and user messages, by meaning.
import * as z from "zod";
import { defineTool, ownTool } from "../src/tool/define-tool.ts";
import { hitParameter, partParameter } from "../src/tool/search-parameters.ts";
import { formatHit, formatSearchPage } from "../src/tool/search-results.ts";

export const workingMemorySearch = ownTool(
  defineTool({
    name: "working_memory_search",
    description:
      "Search by meaning what tools returned and what the user said lately, also what has left the window. Gives the 5 nearest.",
    parameters: z.object({
      query: z.string().describe("What to search for."),
      hit: hitParameter(),
      part: partParameter(),
    }),
    effects: "memory",
    wholeResult: true,
    run: async ({ query, hit, part = 0 }, { working, timeZone }) => {
      const found = await working.search(query);
      const context = { timeZone, query };
      return hit === undefined ? formatSearchPage(found, context) : formatHit(found, { ...context, number: hit, part });
    },
  }),
);
