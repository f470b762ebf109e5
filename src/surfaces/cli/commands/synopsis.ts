// `palimpsest synopsis` and `palimpsest compactions`: the summary of the archive, and the summaries in a window.
import { RequestError } from "../../../base/errors.ts";
import { numberText } from "../../../base/window-words.ts";
import { type CommandCall, commandTable } from "../command.ts";
import { clip, counted, minute, tableText } from "../format/listing-texts.ts";
import { limitFlag } from "../parse/flag-values.ts";
import type { Agent, Compaction, Synopsis } from "../runtime-records.ts";

export const commands = commandTable({
  "synopsis show": {
    summary: "show the synopsis of archival memory",
    details: "The agent's summarizer writes it if the setting is on: agents set synopsis on. Details: docs/memory.md.",
    flags: ["agent", "json"],
    async run(call) {
      const synopsis = await (await call.runtime()).synopsis.show(call.agent);
      return { json: synopsis, text: synopsisText(synopsis, call.world.command) };
    },
  },
  "synopsis refresh": {
    summary: "regenerate the synopsis (one model call)",
    flags: ["agent", "base-url", "openai-api", "json"],
    async run(call) {
      const synopsis = await (await call.runtime()).synopsis.refresh(call.agent);
      return { json: synopsis, text: synopsisText(synopsis, call.world.command) };
    },
  },
  "synopsis clear": {
    summary: "delete the synopsis",
    details:
      "With the setting on, the next turn regenerates it from the archive. To remove a fact, delete its passage with archival remove.",
    flags: ["agent", "json"],
    async run(call) {
      const parts = await (await call.runtime()).synopsis.clear(call.agent);
      return { json: { parts }, text: parts === 0 ? "There was no synopsis." : "Deleted the synopsis." };
    },
  },
  "compactions list": {
    summary: "list compactions of the last conversation, newest first",
    details:
      "MESSAGES: positions of the first and the last replaced message. A later compaction can replace the same messages again.",
    flags: ["agent", "resume", "limit", "json", "base-url", "openai-api"],
    async run(call) {
      const compactions = await (await openConversation(call)).compactions(limitFlag(call.line));
      const heading = ["MADE (UTC)", "STRATEGY", "MESSAGES", "TOKENS", "BY", "COST", "UNDONE", "SUMMARY"];
      const empty = `"${call.agent}" has every message in its window.`;
      return { json: compactions, text: tableText(heading, compactions.map(compactionRow), empty) };
    },
  },
  "compactions undo": {
    summary: "undo the last compaction of the last conversation",
    details:
      "Also restores older summaries. If the window is then too full, the next turn compacts it again:\n" +
      "first set a larger window or another strategy with agents set.",
    flags: ["agent", "resume", "json", "base-url", "openai-api"],
    async run(call) {
      const undone = await (await openConversation(call)).undoCompaction();
      const { tokensBefore, tokensAfter } = undone;
      const messages = undone.messages.length;
      return {
        json: { compactions: undone.compactions.map(({ id }) => id), messages, tokensBefore, tokensAfter },
        text: `${messages} messages are in the window again: ${tokensBefore} -> ${tokensAfter} tokens.`,
      };
    },
  },
});

/** Returns the agent in the last conversation, or in that of --resume. Throws RequestError `conversation_not_found`. */
async function openConversation({ line, agent: name, runtime: open }: CommandCall): Promise<Agent> {
  const runtime = await open();
  const id = line.texts.resume ?? (await runtime.conversations.list(name, { limit: 1 }))[0]?.id;
  if (id === undefined)
    throw new RequestError("conversation_not_found", `"${name}" has no conversation yet, so there are no compactions.`);
  return runtime.agents.open(name, { conversation: { id }, withoutCalls: true });
}

function compactionRow(compaction: Compaction): readonly string[] {
  const { at, strategy, fromPosition, throughPosition, tokensBefore, tokensAfter, model, dollars } = compaction;
  return [
    minute(at),
    strategy,
    `${fromPosition}-${throughPosition}`,
    `${tokensBefore} -> ${tokensAfter}`,
    model ?? "nobody",
    dollars === null ? "unknown" : `$${dollars.toFixed(4)}`,
    compaction.undoneAt === null ? "" : minute(compaction.undoneAt),
    clip(compaction.summary, 60),
  ];
}

type Part = NonNullable<Synopsis["identity"] | Synopsis["context"]>;

function synopsisText(synopsis: Synopsis, command: string): string {
  const { identity, context, isOn } = synopsis;
  const off = isOn ? [] : [`The synopsis is off: no prompt contains it (\`${command} agents set synopsis on\`).`];
  if (identity === null && context === null) return ["There is no synopsis.", ...off].join("\n");
  return [
    ...(identity === null ? [] : [...identityLines(identity.content), partLine("identity", identity)]),
    ...(context === null ? [] : [...contextLines(context.content), partLine("context", context)]),
    ...savingLine(synopsis),
    ...off,
  ].join("\n");
}

function identityLines({ name, preferences, traits }: NonNullable<Synopsis["identity"]>["content"]): readonly string[] {
  return [`Name: ${name ?? "not known"}`, ...list("Preferences", preferences), ...list("Traits", traits)];
}

function contextLines({ recentTopics, currentGoals }: NonNullable<Synopsis["context"]>["content"]): readonly string[] {
  return [...list("Recent topics", recentTopics), ...list("Current goals", currentGoals)];
}

function list(label: string, items: readonly string[]): readonly string[] {
  return [`${label}:${items.length === 0 ? " none known" : ""}`, ...items.map((item) => `  ${item}`)];
}

function partLine(name: string, { at, expiresAt, isStale, memories, leftOut, model, trust }: Part): string {
  const holds = `${isStale ? "stale since" : "valid until"} ${minute(expiresAt)}`;
  const left = leftOut === 0 ? "" : `; ${numberText(leftOut)} more left out for lack of space`;
  const outside = trust === "external" ? "; contains external text" : "";
  const from = counted(memories, "memory", "memories");
  return `(${name}: made ${minute(at)} by ${model} from ${from}${left}; ${holds}${outside})`;
}

function savingLine({ tokens, memoryTokens, savedPercent }: Synopsis): readonly string[] {
  if (savedPercent === null) return [];
  const saved = savedPercent >= 0 ? `${savedPercent} % saved` : `${-savedPercent} % more`;
  return [`${numberText(memoryTokens)} tokens of memories, ${numberText(tokens)} of the synopsis: ${saved}.`];
}
