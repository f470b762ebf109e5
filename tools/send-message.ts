// send_message: sends a text to the user, who sees no other text of the agent in the heartbeat protocol. The agent loop shows
// the text after the call has run.
import * as z from "zod";
import { defineTool, ownTool } from "../src/tool/define-tool.ts";

export const sendMessage = ownTool(
  defineTool({
    name: "send_message",
    description: "Send a message to the user: the only text that the user sees.",
    parameters: z.object({
      message: z.string().describe("The text of the message."),
    }),
    effects: "memory",
    run: () => undefined,
  }),
);
