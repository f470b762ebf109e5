// write_skill: writes a skill, or replaces its text. Each call waits for the user, who sees the changed lines.
import * as z from "zod";
import { writeSkill as write } from "../src/memory/core/module-edits.ts";
import { skillWriter } from "../src/memory/core/skill.ts";
import { defineTool, ownTool } from "../src/tool/define-tool.ts";

export const writeSkill = ownTool(
  defineTool({
    name: skillWriter,
    description:
      "Write a skill: how to do a certain task, for later conversations. Replaces the skill of this name. The user has to approve it.",
    parameters: z.object({
      name: z.string().describe("Lower-case letters, digits and hyphens."),
      description: z.string().describe("What the skill does and when to use it, in a sentence or two."),
      body: z.string().describe("The instructions, in Markdown."),
    }),
    effects: "memory",
    wholeResult: true,
    approval: true,
    run: ({ name, ...skill }, { core }) => {
      write(core, name, skill);
      return `The skill ${name} is stored.`;
    },
  }),
  // `isInstant`: the preview needs only core memory. `confirms` is false, because each call waits for an approval.
  { isInstant: true, confirms: false },
);
