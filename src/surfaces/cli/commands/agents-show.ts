// `palimpsest agents show`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { agentDetailShape, recipientShape } from "../format/listing-shapes.ts";
import { alignColumns } from "../format/align-columns.ts";
import { indent, minute, modelAtText } from "../format/listing-texts.ts";
import { printResult } from "../print.ts";
import type { AgentRecord, Recipient } from "../runtime-records.ts";
import { wordAt } from "../parse/word-argument.ts";

export const agentsShow: Command = {
  words: ["agents", "show"],
  usage: "NAME",
  summary: "show an agent's settings and system prompt",
  flags: ["json", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const { agents, userId } = await call.runtime();
    const agent = await agents.find(wordAt(call, 0));
    // Only the owner may see the recipients.
    const recipients = agent.ownerId === userId ? await agents.recipients(agent.id) : null;
    printResult(call, {
      json: {
        ...agentDetailShape(agent),
        ...(recipients === null ? {} : { recipients: recipients.map(recipientShape) }),
      },
      text: agentText(agent, recipients),
    });
    return 0;
  },
};

function agentText(agent: AgentRecord, recipients: readonly Recipient[] | null): string {
  const { settings } = agent;
  const removed = settings.removedTools.length === 0 ? "none" : settings.removedTools.join(", ");
  const facts = alignColumns([
    ["name", agent.name],
    ["id", agent.id],
    ["owner", agent.ownerId],
    ...(recipients === null ? [] : [["shared with", recipientsText(recipients)]]),
    ["made (UTC)", minute(agent.createdAt)],
    ...(agent.description === null ? [] : [["description", agent.description]]),
    ...(agent.tags.length === 0 ? [] : [["tags", agent.tags.join(", ")]]),
    ["model", modelAtText(agent.model, settings.baseUrl)],
    ["protocol", agent.protocol],
    ["memory", agent.memoryType],
    ["context window", settings.contextWindow === null ? "the model's" : `${settings.contextWindow} tokens`],
    ["max steps", String(settings.maxSteps)],
    ["max output", `${settings.maxOutputTokens} tokens`],
    ["tool results", `${settings.toolResultLimit} characters`],
    ["warns at", percent(settings.warnAt)],
    ["compacts at", `${percent(settings.compactAt)}, keeping ${settings.keepLast} messages`],
    ["compaction", compactionText(agent)],
    ["summarizer", settings.summarizer ?? "the agent's model"],
    ["time zone", settings.timeZone],
    ["removed tools", removed],
    ...(settings.addedTools.length === 0 ? [] : [["added tools", settings.addedTools.join(", ")]]),
  ]);
  return `${facts}\nsystem prompt\n${indent(agent.systemPrompt)}`;
}

function recipientsText(recipients: readonly Recipient[]): string {
  if (recipients.length === 0) return "nobody";
  return recipients.map(({ userId, state }) => (state === "offered" ? `${userId} (offered)` : userId)).join(", ");
}

function compactionText({ settings }: AgentRecord): string {
  const { compaction, compactMessages, ringBatch, ringEntries } = settings;
  const ring = compaction === "ring" ? ` of ${ringEntries} entries, each of ${ringBatch} messages or more` : "";
  const limit = compactMessages === null ? "" : `, also above ${compactMessages} messages`;
  return `${compaction}${ring}${limit}`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} % of the window`;
}
