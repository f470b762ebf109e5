// open_files: shows files of attached sources at the end of each request.
import * as z from "zod";
import { defineTool } from "../src/tool/define-tool.ts";

const maxFiles = 5;
const maxLine = 1_000_000_000;

export const openFiles = defineTool({
  name: "open_files",
  description:
    "Open files of attached sources: their text is shown to you at the end of each request until it is closed. At most 5 are open; the one that was opened first is closed for another one.",
  parameters: z.object({
    file_requests: z
      .array(
        z.object({
          file_name: z.string().describe("Source and file, such as work/handbook/leave.md."),
          offset: z.int().min(0).max(maxLine).optional().describe("Lines to skip; default 0."),
          length: z.int().min(1).max(maxLine).optional().describe("Number of lines; default: to the end."),
        }),
      )
      .min(1)
      .max(maxFiles)
      .describe("The files to open."),
    close_all_others: z.boolean().optional().describe("Whether to close all other files; default false."),
  }),
  effects: "memory",
  async run({ file_requests: requests, close_all_others: closesOthers = false }, { files }) {
    const wanted = requests.map(({ file_name: name, offset = 0, length }) => ({
      name,
      from: offset + 1,
      ...(length === undefined ? {} : { lines: length }),
    }));
    const { opened, closed } = await files.open(wanted, { closesOthers });
    const lines = opened.map(({ name, from, to, total }) => `Opened ${name}: lines ${from} to ${to} of ${total}.`);
    const note = "As much as fits is shown at the end of your next request.";
    return [...lines, ...(closed.length === 0 ? [] : [`Closed ${closed.join(", ")}.`]), note].join("\n");
  },
});
