// send_message: in the heartbeat protocol, the only text that the user sees. The loop shows it after the call has run.
import * as z from "zod";
import { defineTool, ownTool } from "../src/tool/define-tool.ts";

export const sendMessage = ownTool(
  defineTool({
    name: "send_message",
    description: "Sends a message to the human user.",
    parameters: z.object({
      message: z.string().describe("Message contents. All unicode (including emojis) are supported."),
    }),
    effects: "memory",
    run: () => undefined,
  }),
);
