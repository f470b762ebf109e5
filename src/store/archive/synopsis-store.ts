// Stores synopses: a part is claimed before it is made, saved under the claim, and deleted with any passage that it was
// made from.
// Invariant: a part whose claim is lost is not written; only the user's own rows are read.
import { storableJson, storableText } from "../../base/code-points.ts";
import type { Trust } from "../../base/message/message.ts";
import type { SynopsisPart, SynopsisRecord, SynopsisState, SynopsisStore } from "../port/synopsis-store.ts";
import { requireAgent } from "../agents/agent-access.ts";
import { ensureUser } from "../agents/known-user.ts";
import {
  claimSynopses,
  clearSynopses,
  isSynopsisShown,
  readSynopses,
  releaseSynopses,
  saveSynopses,
  synopsisMemories,
} from "../sql/synopses.ts";
import type { UserContext } from "../connection/database.ts";
import { lockAllPassages } from "./lock-passages.ts";
import { timeOf, timeText } from "../stored-times.ts";

export function createSynopsisStore({ userId, transaction, repeatable }: UserContext): SynopsisStore {
  return {
    read: (agentId) =>
      repeatable(async (tx) => (await tx.run<SynopsisRow>(readSynopses, [userId, agentId])).map(stateOfRow)),
    memories: (agentId, { limit, characters, now }) =>
      transaction(async (tx) => {
        const rows = await tx.run<MemoryRow>(synopsisMemories, [userId, agentId, limit, characters, timeText(now)]);
        const memories = rows.flatMap(({ id, content, trust, created_at }) =>
          id === null ? [] : [{ id, content, trust, at: timeOf(created_at) }],
        );
        return { memories, total: rows[0]?.total ?? 0 };
      }),
    claim: (agentId, { claim, parts, now, nextRefreshAt, asked }) =>
      transaction(async (tx) => {
        await requireAgent(tx, userId, agentId);
        await ensureUser(tx, userId);
        const times = [timeText(now), timeText(nextRefreshAt)] as const;
        const parameters = [userId, agentId, claim, JSON.stringify(parts), ...times, asked];
        const claimed = await tx.run<{ readonly part: SynopsisPart }>(claimSynopses, parameters);
        return claimed.map(({ part }) => part);
      }),
    save: (agentId, claim, made) =>
      transaction(async (tx) => {
        const passages = [...new Set(made.flatMap((record) => record.passages))];
        if (!(await lockAllPassages(tx, userId, passages))) return "outdated";
        const saved = await tx.run(saveSynopses, [userId, agentId, claim, storableJson(made.map(rowOfRecord))]);
        return saved.length === made.length ? "saved" : "lost";
      }),
    release: (agentId, claim) =>
      transaction(async (tx) => {
        await tx.run(releaseSynopses, [userId, agentId, claim]);
      }),
    clear: (agentId) =>
      transaction(async (tx) => {
        const [done] = await tx.run<{ readonly cleared: number }>(clearSynopses, [userId, agentId]);
        return done!.cleared;
      }),
    isShown: (conversationId) =>
      repeatable(async (tx) => (await tx.run(isSynopsisShown, [userId, conversationId])).length > 0),
  };
}

interface MemoryRow {
  readonly total: number;
  readonly id: string | null;
  readonly content: string;
  readonly trust: Trust;
  readonly created_at: string;
}

interface SynopsisRow {
  readonly part: SynopsisPart;
  readonly next_refresh_at: string;
  readonly content: unknown;
  readonly trust: Trust;
  readonly made_at: string;
  readonly expires_at: string;
  readonly passages: readonly string[];
  readonly left_out: number;
  readonly memory_tokens: number;
  readonly tokens: number;
  readonly model: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cached_input_tokens: number;
  readonly dollars: number | null;
}

function stateOfRow(row: SynopsisRow): SynopsisState {
  const { part, content } = row;
  return { part, nextRefreshAt: timeOf(row.next_refresh_at), made: content === null ? null : recordOfRow(row) };
}

function recordOfRow(row: SynopsisRow): SynopsisRecord {
  return {
    part: row.part,
    content: row.content,
    trust: row.trust,
    at: timeOf(row.made_at),
    expiresAt: timeOf(row.expires_at),
    passages: row.passages,
    leftOut: row.left_out,
    memoryTokens: row.memory_tokens,
    tokens: row.tokens,
    model: row.model,
    usage: {
      inputTokens: row.input_tokens,
      outputTokens: row.output_tokens,
      cachedInputTokens: row.cached_input_tokens,
    },
    dollars: row.dollars,
  };
}

function rowOfRecord(record: SynopsisRecord): SynopsisRowJson {
  return {
    part: record.part,
    content: record.content,
    trust: record.trust,
    made_at: timeText(record.at),
    expires_at: timeText(record.expiresAt),
    passages: record.passages,
    left_out: record.leftOut,
    memory_tokens: record.memoryTokens,
    tokens: record.tokens,
    model: storableText(record.model),
    input_tokens: record.usage.inputTokens,
    output_tokens: record.usage.outputTokens,
    cached_input_tokens: record.usage.cachedInputTokens,
    dollars: record.dollars,
  };
}

type SynopsisRowJson = Omit<SynopsisRow, "next_refresh_at">;
