// A tool that saves one fact about the user: the only memory tool of a model that is too small for the usual ones.
// Invariant: it saves nothing that the user has not said in this turn, and nothing twice.
import * as z from "zod";
import { ModuleLimitError } from "../../base/errors.ts";
import { defineTool, ownTool } from "../../tool/define-tool.ts";
import type { Tool } from "../../tool/tool.ts";
import { isKnown, isStated, noteOf, statementsIn } from "./stated-facts.ts";

/** The module for facts about the user. */
export const factsSection = "human";

export const rememberName = "remember";

export const rememberTool: Tool = ownTool(
  defineTool({
    name: rememberName,
    description: "Save one fact that the user has just told you about themselves.",
    parameters: z.object({ fact: z.string().describe("One short sentence, such as: Ada lives in Lisbon.") }),
    effects: "memory",
    async run({ fact }, { core, archival, userText }) {
      if (!isStated(fact, statementsIn(userText())))
        return "Not saved: the user did not say this. Answer the user now.";
      if (!core.labels().includes(factsSection)) {
        await archival.insert(noteOf(fact));
        return "Saved. Answer the user now.";
      }
      if (isKnown(fact, core.read(factsSection))) return "It was saved before. Answer the user now.";
      try {
        core.append(factsSection, noteOf(fact));
      } catch (error) {
        if (!(error instanceof ModuleLimitError)) throw error;
        await archival.insert(noteOf(fact));
      }
      return "Saved. Answer the user now.";
    },
  }),
  { isInstant: true },
);
