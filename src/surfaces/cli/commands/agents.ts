// `palimpsest agents`: list, create, change and delete agents.
import { parseJson } from "../../../base/json-values.ts";
import { nameCommand } from "../../../base/started-command.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { commandTable } from "../command.ts";
import { alignColumns, indent, minute, modelAtText, tableText } from "../format/listing-texts.ts";
import { limitFlag } from "../parse/flag-values.ts";
import { createOptions } from "../open-agent.ts";
import { wordPairs } from "../parse/contract-options.ts";
import { creationFlags } from "../parse/flags.ts";
import type { AgentMessage, AgentRecord, FormerAgent, Recipient } from "../runtime-records.ts";
import { stripControl } from "../../../base/terminal-text.ts";
import { requireYes } from "../print.ts";

export const commands = commandTable({
  "agents list": {
    summary: "list your agents and the shared agents that you use",
    flags: ["tag", "json"],
    async run(call) {
      const runtime = await call.runtime();
      const { tag: tags = [] } = call.line.lists;
      const agents = await runtime.agents.list({ tags });
      // Former agents have no tags, so a filter by tags excludes them.
      const former = tags.length > 0 ? [] : await runtime.agents.former();
      const empty = nameCommand("There are no agents yet. `palimpsest` creates one.", call.world.command);
      return {
        json: [...agents.map(agentShape), ...former.map(formerAgentShape)],
        text: tableText(
          ["NAME", "OWNER", "MODEL", "PROTOCOL", "MEMORY", "MADE (UTC)", "ID"],
          [...agents.map(agentRow), ...former.map(formerAgentRow)],
          empty,
        ),
      };
    },
  },
  "agents show": {
    usage: "NAME",
    summary: "show an agent's settings and system prompt",
    flags: ["json"],
    async run(call, name) {
      const { agents, userId } = await call.runtime();
      const agent = await agents.find(name);
      // Only the owner may see with which users the agent is shared.
      const recipients = agent.ownerId === userId ? await agents.recipients(agent.id) : null;
      return {
        json: { ...agentDetailShape(agent), ...(recipients === null ? {} : { recipients }) },
        text: agentText(agent, recipients),
      };
    },
  },
  "agents messages": {
    usage: "NAME",
    summary: "show the messages between an agent and others",
    flags: ["limit", "json"],
    async run(call, name) {
      const messages = await (await call.runtime()).agentMessages.list(name, { limit: limitFlag(call.line) });
      const heading = ["TIME (UTC)", "FROM", "TO", "HOP", "STATUS", "CHAIN", "TEXT"];
      return { json: messages, text: tableText(heading, messages.map(messageRow), "There are no messages.") };
    },
  },
  "agents add": {
    usage: "NAME",
    summary: "create an agent without sending it a message",
    flags: ["json", ...creationFlags],
    async run(call, name) {
      const runtime = await call.runtime();
      const agent = await runtime.agents.create({ name, ...(await createOptions(call.line, runtime)) });
      return { json: agentDetailShape(agent), text: `Created agent "${agent.name}" (${agent.model}).` };
    },
  },
  "agents set": {
    usage: "KEY VALUE [KEY VALUE ...]",
    summary: "change an agent's settings, name, description or tags",
    details:
      "Settings have the names of the configuration file: agents set -a ada compaction ring keepLast 20. A value is JSON\n" +
      "or plain text; none (or never) removes a limit. A change applies when the agent is next opened, not to a running chat.\n" +
      'Other keys are name, description, tags and metadata: agents set -a ada description "Plans trips" tags \'["travel"]\'.',
    flags: ["agent", "base-url", "openai-api", "json"],
    takes: { min: 2, max: 100 },
    async run(call) {
      const given = wordPairs(call.words, "; name the agent with -a NAME").map(([key, word]) => [key, valueOf(word)]);
      const partOf = (isDetail: boolean) => given.filter(([key]) => details.includes(key) === isDetail);
      const { agents } = await call.runtime();
      const [set, described] = [partOf(false), partOf(true)];
      // Settings are updated before details, because they are refused more often: then the command has changed nothing.
      const updated = set.length === 0 ? null : await agents.update(call.agent, Object.fromEntries(set));
      const agent =
        updated !== null && described.length === 0
          ? updated
          : await agents.setDetails(call.agent, Object.fromEntries(described));
      const changed = given.map(([key]) => key).join(", ");
      return { json: agentDetailShape(agent), text: `Changed ${changed} of "${agent.name}".` };
    },
  },
  "agents remove": {
    usage: "NAME --yes",
    summary: "delete an agent and everything that you have with it",
    details:
      "Other users of the agent can then only read their data with it. For a former shared agent, deletes your\n" +
      "remaining data.",
    flags: ["yes"],
    async run(call, nameOrId) {
      const runtime = await call.runtime();
      const { id, name } = (await formerAgent(runtime, nameOrId)) ?? (await runtime.agents.find(nameOrId));
      requireYes(call, `"${name}" with its memory, conversations and archive`);
      await runtime.agents.delete(id);
      return { text: `Deleted agent "${name}".` };
    },
  },
});

/** Returns the agent as `--json` prints it, which scripts rely on. Fields may be added, never renamed or removed. */
export function agentShape(agent: AgentRecord): object {
  const { id, name, description, tags, model, protocol, memoryType, ownerId, createdAt, settings } = agent;
  return { id, name, description, tags, model, baseUrl: settings.baseUrl, protocol, memoryType, ownerId, createdAt };
}

/** Returns a former agent with the fields of `agentShape`; fields that are no longer known are null. */
function formerAgentShape({ id, name, ownerId, endedAt }: FormerAgent): object {
  const unknown = { description: null, tags: null, model: null, protocol: null, memoryType: null, createdAt: null };
  return { id, name, ownerId, ...unknown, endedAt };
}

export function agentDetailShape(agent: AgentRecord): object {
  const { settings, systemPrompt, metadata } = agent;
  return { ...agentShape(agent), metadata, settings, systemPrompt };
}

function agentRow({ name, ownerId, model, settings, protocol, memoryType, createdAt, id }: AgentRecord) {
  return [name, ownerId, modelAtText(model, settings.baseUrl), protocol, memoryType, minute(createdAt), id];
}

function formerAgentRow({ name, ownerId, endedAt, id }: FormerAgent) {
  return [name, ownerId ?? "(deleted)", `read-only since ${minute(endedAt)}`, "", "", "", id];
}

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

/** The keys of `agents.setDetails`; every other key is a setting. */
const details: readonly unknown[] = ["name", "description", "tags", "metadata"];

/** Returns the value of a word: null for `none` or `never`, a parsed number, list or object, or else the text itself. */
function valueOf(word: string): unknown {
  if (word === "none" || word === "never") return null;
  if (!/^[-\d[{]/u.test(word)) return word;
  // A word that is not JSON is plain text, such as a time zone that begins with a digit. The settings validate it.
  return parseJson(word) ?? word;
}

/** Returns the former agent with this name or id; undefined if there is none, or if an agent in use has the same name or id. */
async function formerAgent({ agents }: Runtime, nameOrId: string) {
  const isNamed = ({ id, name }: { readonly id: string; readonly name: string }): boolean =>
    id === nameOrId || name === nameOrId;
  return (await agents.list()).some(isNamed) ? undefined : (await agents.former()).find(isNamed);
}

function messageRow(message: AgentMessage): readonly string[] {
  const { from, to, hop, waits, answers, status, outcome, chainId, text, createdAt } = message;
  const state = outcome ?? (waits ? `${status}, waits` : status);
  const words = `${answers === null ? "" : "(answer) "}${text.slice(0, maxShown)}`;
  return [minute(createdAt), from, to, `${hop}`, state, chainId.slice(-8), stripControl(words).replaceAll("\n", " ")];
}

/** Maximum UTF-16 units of a message's text in a list. */
const maxShown = 80;
