// memory: shows and changes memory as files, with the commands of Anthropic's memory tool.
import * as z from "zod";
import { memoryCommands, runMemoryCommand } from "../src/memory/as-files/memory-commands.ts";
import { defineTool, ownTool } from "../src/tool/define-tool.ts";

export const memoryTool = ownTool(
  defineTool({
    name: "memory",
    description:
      "View and change your memory as files below /memories: NAME.md for each section of core memory, archive/ for what was saved, and files of your own.",
    parameters: z.object({
      command: z.enum(memoryCommands).describe("What to do."),
      path: z.string().optional().describe("The file or folder, for all commands but rename."),
      view_range: z
        .array(z.int().describe("A line."))
        .optional()
        .describe("view: the first and the last line; -1: the end."),
      file_text: z.string().optional().describe("create: the text of the file."),
      old_str: z.string().optional().describe("str_replace: the text to replace, which must be there once."),
      new_str: z.string().optional().describe("str_replace: the text to write instead."),
      insert_line: z.int().optional().describe("insert: the line after which to insert; 0 for the beginning."),
      insert_text: z.string().optional().describe("insert: the text."),
      old_path: z.string().optional().describe("rename: the file or folder."),
      new_path: z.string().optional().describe("rename: its new path."),
    }),
    effects: "memory",
    run: (command, { core, archival }) => runMemoryCommand({ core, archival }, command),
  }),
  // Anthropic's models know the tool by this type.
  { anthropicType: "memory_20250818" },
);
