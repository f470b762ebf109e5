// `palimpsest approvals` and `palimpsest turns`: tool calls that wait for the user, and records of turns.
import { ConfigError, RequestError } from "../../../base/errors.ts";
import { type CommandCall, commandTable } from "../command.ts";
import { indent, minute, recordsText, recordText } from "../format/listing-texts.ts";
import { limitFlag } from "../parse/flag-values.ts";
import type { HeadlessTurn } from "../headless/run-prompt.ts";
import { headlessFlags, toolFlags } from "../parse/flags.ts";
import { objectFlag } from "../parse/contract-options.ts";
import { given } from "../../../base/given.ts";
import type { Agent, Approval } from "../runtime-records.ts";

/** Runs a headless turn. Its code is imported only here, because help loads this file, too. */
async function runTurn(call: CommandCall, open: () => Promise<HeadlessTurn>): Promise<number> {
  const { runHeadlessTurn } = await import("../headless/run-prompt.ts");
  return runHeadlessTurn(call, open);
}

const turnFlags = ["agent", "resume", ...headlessFlags, "base-url", "openai-api", ...toolFlags] as const;

export const commands = commandTable({
  "approvals list": {
    summary: "list the tool calls that wait for approval",
    flags: ["agent", "json"],
    async run(call) {
      const waiting = await (await call.runtime()).approvals.list(call.agent);
      const text = waiting.length === 0 ? "No call waits for approval." : waiting.map(approvalText).join("\n");
      return { json: waiting, text };
    },
  },
  "approvals approve": {
    usage: "ID",
    summary: "approve a waiting tool call and continue its turn",
    details:
      "The turn continues and its reply is printed as with -p. --arguments replaces the model's arguments; they must match\n" +
      "the tool's schema.",
    flags: ["arguments", ...turnFlags],
    handlesAbort: true,
    run: (call, callId) =>
      runTurn(call, async () => {
        const edited = given({ arguments: objectFlag(call.line, "arguments") });
        const agent = await agentOfCall(call, callId);
        return { agent, events: (signal) => agent.approve(callId, { ...edited, signal }) };
      }),
  },
  "approvals deny": {
    usage: "ID",
    summary: "deny a waiting tool call and continue its turn",
    details: "The model gets the denial and the text of --reason. Its reply is printed as with -p.",
    flags: ["reason", ...turnFlags],
    handlesAbort: true,
    run: (call, callId) =>
      runTurn(call, async () => {
        const agent = await agentOfCall(call, callId);
        const { reason } = call.line.texts;
        return { agent, events: (signal) => agent.deny(callId, { ...given({ reason }), signal }) };
      }),
  },
  "turns list": {
    summary: "list the turns of an agent, newest first",
    flags: ["agent", "resume", "limit", "after", "json"],
    async run(call) {
      const { after, resume: conversation } = call.line.texts;
      const range = { agent: call.agent, limit: limitFlag(call.line), ...given({ after, conversation }) };
      const turns = await (await call.runtime()).turns.list(range);
      const columns = ["createdAt", "state", "stopReason", "conversationId", "id"] as const;
      return { json: turns, text: recordsText(turns, columns, `"${call.agent}" has had no turn yet.`) };
    },
  },
  "turns show": {
    usage: "ID",
    summary: "show a turn with its model calls",
    flags: ["json"],
    async run(call, id) {
      const { turns } = await call.runtime();
      const [turn, steps] = [await turns.find(id), await turns.steps(id)];
      const calls = recordsText(steps, ["number", "model", "finish", "usage", "at"], "No model call was made.");
      return { json: { ...turn, steps }, text: `${recordText(turn)}\n\n${calls}` };
    },
  },
});

function approvalText(approval: Approval): string {
  const { callId, toolName, arguments: asked, preview, requestedAt, expiresAt, conversationId } = approval;
  const until = expiresAt === null ? "" : `, until ${minute(expiresAt)}`;
  const head = `${callId}  ${toolName}  asked ${minute(requestedAt)}${until}  conversation ${conversationId}`;
  return [head, indent(asked), ...(preview === null ? [] : [indent(preview)])].join("\n");
}

/**
 * Returns the agent in the conversation in which the call waits. Throws RequestError `approval_not_found`, or ConfigError if
 * calls with this id wait in several conversations.
 */
async function agentOfCall(call: CommandCall, id: string): Promise<Agent> {
  const { agents, approvals } = await call.runtime();
  const { resume: conversation } = call.line.texts;
  const matching = (await approvals.list(call.agent)).filter(
    ({ callId, conversationId }) => callId === id && (conversation === undefined || conversationId === conversation),
  );
  const [found] = matching;
  if (found === undefined) {
    throw new RequestError(
      "approval_not_found",
      `No call ${id} of "${call.agent}" waits for approval. \`palimpsest approvals list -a ${call.agent}\` shows the waiting calls.`,
    );
  }
  if (matching.length > 1) {
    const ids = matching.map(({ conversationId }) => conversationId).join(" or ");
    throw new ConfigError(
      `Calls in ${matching.length} conversations have the id ${id}. Name the conversation with -r ${ids}.`,
    );
  }
  return agents.open(call.agent, { conversation: { id: found.conversationId } });
}
