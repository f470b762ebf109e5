// `palimpsest approvals deny`.
import type { Command } from "../command.ts";
import { headlessFlags, storeFlags, toolFlags } from "../parse/flags.ts";
import { runHeadlessTurn } from "../headless/run-prompt.ts";
import { waitingCall } from "../waiting-call.ts";

export const approvalsDeny: Command = {
  words: ["approvals", "deny"],
  usage: "ID",
  summary: "deny a waiting tool call and continue its turn",
  details: "The model gets the denial and the text of --reason. Its reply is printed as with -p.",
  flags: ["reason", "agent", "resume", ...headlessFlags, "base-url", "openai-api", ...toolFlags, ...storeFlags],
  takes: { min: 1, max: 1 },
  handlesAbort: true,
  run: (call) =>
    runHeadlessTurn(call, async () => {
      const { callId, conversationId } = await waitingCall(call);
      const agent = await (await call.runtime()).agents.open(call.agent, { conversation: { id: conversationId } });
      const { reason } = call.line.texts;
      return { agent, events: (signal) => agent.deny(callId, { ...(reason === undefined ? {} : { reason }), signal }) };
    }),
};
