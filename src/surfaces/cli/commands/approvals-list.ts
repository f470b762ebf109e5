// `palimpsest approvals list`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { approvalShape } from "../format/listing-shapes.ts";
import { indent, minute } from "../format/listing-texts.ts";
import { printResult } from "../print.ts";
import type { Approval } from "../runtime-records.ts";

export const approvalsList: Command = {
  words: ["approvals", "list"],
  usage: "",
  summary: "list the tool calls that wait for approval",
  flags: ["agent", "json", ...storeFlags],
  takes: { min: 0, max: 0 },
  async run(call) {
    const waiting = await (await call.runtime()).approvals.list(call.agent);
    printResult(call, {
      json: waiting.map(approvalShape),
      text: waiting.length === 0 ? "No call waits for approval." : waiting.map(approvalText).join("\n"),
    });
    return 0;
  },
};

function approvalText({
  callId,
  toolName,
  arguments: asked,
  preview,
  requestedAt,
  expiresAt,
  conversationId,
}: Approval): string {
  const until = expiresAt === null ? "" : `, until ${minute(expiresAt)}`;
  const head = `${callId}  ${toolName}  asked ${minute(requestedAt)}${until}  conversation ${conversationId}`;
  return [head, indent(asked), ...(preview === null ? [] : [indent(preview)])].join("\n");
}
