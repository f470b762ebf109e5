// The JSON of listings, on which scripts rely. Described in docs/cli.md.
// Invariant: fields are added, never renamed or removed; dates are ISO 8601 in UTC.
import { diffLines } from "../../../base/line-diff.ts";
import type { ModuleView } from "../../../runtime/memory.ts";
import type {
  AgentRecord,
  Approval,
  Branch,
  Compaction,
  Conversation,
  FormerAgent,
  FoundPage,
  FoundPassages,
  LoggedStep,
  ModuleDiff,
  Offer,
  Passage,
  Recipient,
  Revision,
  SaidMessage,
  Sweep,
  UndoneCompaction,
  UndoneRevision,
} from "../runtime-records.ts";

export function agentShape(agent: AgentRecord): object {
  const { id, name, description, tags, model, protocol, memoryType, ownerId, createdAt, settings } = agent;
  return { id, name, description, tags, model, baseUrl: settings.baseUrl, protocol, memoryType, ownerId, createdAt };
}

/** A former agent has the same fields; those no longer known are null. */
export function formerAgentShape({ id, name, ownerId, endedAt }: FormerAgent): object {
  return {
    id,
    name,
    description: null,
    tags: null,
    model: null,
    protocol: null,
    memoryType: null,
    ownerId,
    createdAt: null,
    endedAt,
  };
}

export function offerShape({ agentId, name, ownerId, at }: Offer): object {
  return { agentId, name, ownerId, at };
}

export function recipientShape({ userId, state, at }: Recipient): object {
  return { userId, state, at };
}

/** As `conversations import` reads it. */
export function saidMessageShape({ role, speaker, text, at }: SaidMessage): object {
  return { role, ...(speaker === undefined ? {} : { speaker }), text, at };
}

export function agentDetailShape(agent: AgentRecord): object {
  const { settings, systemPrompt, metadata } = agent;
  return { ...agentShape(agent), metadata, settings, systemPrompt };
}

export function moduleShape(module: ModuleView): object {
  const { id, ownerId, label, scope, description, value, length, limit, readOnly, revision, trust, lineTrust } = module;
  return { id, ownerId, label, scope, description, value, length, limit, readOnly, revision, trust, lineTrust };
}

export function revisionShape(change: Revision): object {
  const { label, revision, before, after, origin, toolName, callId, messageId, conversationId } = change;
  const { undoes, trust, external, at } = change;
  return {
    label,
    revision,
    before,
    after,
    origin,
    toolName,
    callId,
    messageId,
    conversationId,
    undoes,
    trust,
    external,
    at,
  };
}

export function undoneShape(undone: UndoneRevision): object {
  return { ...revisionShape(undone), later: undone.later.map(revisionShape) };
}

export function diffShape({ label, from, to, before, after }: ModuleDiff): object {
  const changes = diffLines(before, after);
  const linesWith = (sign: "+" | "-") => changes.filter((change) => change.sign === sign).map(({ text }) => text);
  return { label, from, to, before, after, removed: linesWith("-"), added: linesWith("+") };
}

export function conversationShape(conversation: Conversation): object {
  const { id, title, preview, messages, createdAt, updatedAt } = conversation;
  return { id, title, preview, messages, createdAt, updatedAt };
}

export function branchShape({ id, preview, messages, at, isCurrent, forkId, ownMessages }: Branch): object {
  return { id, preview, messages, at, isCurrent, forkId, ownMessages };
}

export function compactionShape(compaction: Compaction): object {
  const { id, strategy, fromPosition, throughPosition, summary, threadMessages, rangeTokens } = compaction;
  const { tokensBefore, tokensAfter, model, usage, dollars, focus, trust, at, undoneAt } = compaction;
  const range = { fromPosition, throughPosition, threadMessages, rangeTokens };
  const made = { model, usage, dollars, focus, trust, summary, at, undoneAt };
  return { id, strategy, ...range, tokensBefore, tokensAfter, ...made };
}

export function undoneCompactionShape({ compactions, messages, tokensBefore, tokensAfter }: UndoneCompaction): object {
  const ids = compactions.map(({ id }) => id);
  return { compactions: ids, messages: messages.length, tokensBefore, tokensAfter };
}

export function approvalShape(approval: Approval): object {
  const { callId, toolName, arguments: asked, preview, definition, requestedAt, expiresAt } = approval;
  const { conversationId, messageId } = approval;
  const call = { callId, toolName, arguments: asked, preview, ...(definition === undefined ? {} : { definition }) };
  return { ...call, requestedAt, expiresAt, conversationId, messageId };
}

export function sweepShape({ id, at, limits, dropped }: Sweep): object {
  return { id, at, limits, dropped };
}

/** A model call, without its report. */
export function stepShape({ ordinal, turnId, number, model, finish, usage, at }: LoggedStep): object {
  return { ordinal, turnId, number, model, finish, usage, at };
}

function saidShape({ id, role, speaker, text, trust, at }: FoundPage["hits"][number]): object {
  return { id, role: role ?? null, ...(speaker === undefined ? {} : { speaker }), text, trust, at };
}

function neighboursShape({ before, after }: NonNullable<FoundPage["hits"][number]["neighbours"]>): object {
  return { before: before.map(saidShape), after: after.map(saidShape) };
}

/** Pages count from 1, as the flag does. */
export function foundShape({ hits, page, pageSize, total, wordsAlone }: FoundPage): object {
  return {
    page: page + 1,
    pageSize,
    total,
    wordsAlone,
    hits: hits.map((hit) => ({
      ...saidShape(hit),
      tags: hit.tags ?? [],
      origin: hit.origin ?? null,
      ...(hit.explanation === undefined ? {} : { explanation: hit.explanation }),
      ...(hit.neighbours === undefined ? {} : { neighbours: neighboursShape(hit.neighbours) }),
    })),
  };
}

/** Like `foundShape`, with the additional fields of passages. */
export function foundPassagesShape({ hits, page, pageSize, total, wordsAlone }: FoundPassages): object {
  return {
    page: page + 1,
    pageSize,
    total,
    wordsAlone,
    hits: hits.map((hit) => {
      const { id, text, tags, kind, trust, origin = null, importance, source = null, at, replacement = null } = hit;
      const { explanation } = hit;
      return { id, role: null, text, tags, kind, trust, origin, importance, at, source, replacement, explanation };
    }),
  };
}

export function listedPassageShape(passage: Passage): object {
  return { ...passageShape(passage), external: passage.external ?? [] };
}

/** A passage of the agent's own; also a line of an export. */
export function passageShape({ id, text, tags, kind, origin, trust, importance, at, replacedBy }: Passage): object {
  return { id, text, tags, kind, origin, trust, importance, at, ...(replacedBy === undefined ? {} : { replacedBy }) };
}
