// working_memory_search: finds recent tool results and user messages, by meaning.
import * as z from "zod";
import { defineTool, ownTool } from "../src/tool/define-tool.ts";
import { formatSearchPage } from "../src/tool/search-results.ts";

export const workingMemorySearch = ownTool(
  defineTool({
    name: "working_memory_search",
    description:
      "Search what tools have returned and what the user has said lately, by meaning, also when it is out of view by now. Gives the 5 nearest.",
    parameters: z.object({ query: z.string().describe("What to search for.") }),
    effects: "memory",
    wholeResult: true,
    run: async ({ query }, { working, timeZone }) => formatSearchPage(await working.search(query), timeZone),
  }),
);
