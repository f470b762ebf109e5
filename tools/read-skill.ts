// read_skill: returns the text of a skill. The prompt contains only the skill's name and description.
import * as z from "zod";
import { skillIn } from "../src/memory/core/module-edits.ts";
import { defineTool, ownTool } from "../src/tool/define-tool.ts";

export const readSkill = ownTool(
  defineTool({
    name: "read_skill",
    description: "Read a skill: how to do a certain task. Nothing in it is run.",
    parameters: z.object({ name: z.string().describe("The name of the skill.") }),
    effects: "memory",
    wholeResult: true,
    run: ({ name }, { core }) => skillIn(core, name),
  }),
);
