// `palimpsest approvals approve`.
import { ConfigError } from "../../../base/errors.ts";
import type { Command, CommandCall } from "../command.ts";
import { headlessFlags, storeFlags, toolFlags } from "../parse/flags.ts";
import { runHeadlessTurn } from "../headless/run-prompt.ts";
import { waitingCall } from "../waiting-call.ts";

export const approvalsApprove: Command = {
  words: ["approvals", "approve"],
  usage: "ID",
  summary: "approve a waiting tool call and continue its turn",
  details:
    "The turn continues and its reply is printed as with -p. --arguments replaces the model's arguments; they must match\n" +
    "the tool's schema.",
  flags: ["arguments", "agent", "resume", ...headlessFlags, "base-url", "openai-api", ...toolFlags, ...storeFlags],
  takes: { min: 1, max: 1 },
  handlesAbort: true,
  run: (call) =>
    runHeadlessTurn(call, async () => {
      const edited = editedArguments(call);
      const { callId, conversationId } = await waitingCall(call);
      const agent = await (await call.runtime()).agents.open(call.agent, { conversation: { id: conversationId } });
      return { agent, events: (signal) => agent.approve(callId, { ...edited, signal }) };
    }),
};

function editedArguments({ line }: CommandCall): { readonly arguments?: Readonly<Record<string, unknown>> } {
  const text = line.texts.arguments;
  if (text === undefined) return {};
  const value = parseJson(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ConfigError(`--arguments: expected a JSON object such as '{"name":"value"}', got ${text.slice(0, 80)}.`);
  }
  return { arguments: value as Record<string, unknown> };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not valid JSON: the caller reports what was expected.
    return undefined;
  }
}
