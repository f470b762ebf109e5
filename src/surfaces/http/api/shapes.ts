// The JSON of the records that `/api` returns.
// Invariant: a record's shape contains what its type in the runtime has; tests check every response against it.
import * as z from "zod";

export const whole = z.int().min(0);
export const moment = z.iso.datetime();
const nullableText = z.string().nullable();
const trust = z.enum(["user", "model", "external"]);
const origin = z.enum(["model", "user", "api", "import"]);
const anyJson = z.record(z.string(), z.unknown());

export const agentShape = z.looseObject({
  id: z.string(),
  ownerId: z.string(),
  name: z.string(),
  model: z.string(),
  protocol: z.enum(["native", "heartbeat"]),
  memoryType: z.string(),
  systemPrompt: z.string(),
  settings: anyJson,
  description: nullableText,
  tags: z.array(z.string()),
  metadata: anyJson,
  extensions: anyJson,
  createdAt: moment,
});

export const moduleShape = z.looseObject({
  id: z.string(),
  ownerId: z.string(),
  label: z.string(),
  scope: z.enum(["agent", "user"]),
  description: nullableText,
  value: z.string(),
  /** Both in code points. */
  length: whole,
  limit: whole,
  readOnly: z.boolean(),
  revision: whole,
  trust,
});

export const revisionShape = z.looseObject({
  label: z.string(),
  revision: whole,
  before: z.string(),
  after: z.string(),
  origin,
  client: nullableText,
  toolName: nullableText,
  callId: nullableText,
  messageId: nullableText,
  conversationId: nullableText,
  undoes: whole.nullable(),
  trust,
  external: z.array(anyJson),
  at: moment,
});

export const causeShape = z.strictObject({
  revision: revisionShape,
  call: z.strictObject({ name: z.string(), arguments: z.string() }).nullable(),
  input: z.looseObject({ id: z.string(), kind: z.string(), text: z.string(), trust, at: moment }).nullable(),
});

export const diffShape = z.looseObject({
  label: z.string(),
  from: whole,
  to: whole,
  before: z.string(),
  after: z.string(),
});

export const rememberedShape = z
  .strictObject({ label: z.string(), revision: whole, before: z.string(), after: z.string(), limit: whole })
  .nullable();

const hitShape = z.looseObject({ id: z.string(), text: z.string(), at: moment, trust });

/** One page of results; `total` counts all of them. */
export const searchShape = z.looseObject({ hits: z.array(hitShape), page: whole, pageSize: whole, total: whole });

export const passageShape = z.looseObject({
  id: z.string(),
  text: z.string(),
  tags: z.array(z.string()),
  kind: z.string(),
  importance: z.number(),
  origin,
  trust,
  at: moment,
});

export const addedPassageShape = z.strictObject({ id: z.string(), isNew: z.boolean() });

export const conversationShape = z.looseObject({
  id: z.string(),
  agentId: z.string(),
  title: nullableText,
  leafId: nullableText,
  createdAt: moment,
  updatedAt: moment,
});

const callShape = z.looseObject({
  callId: z.string(),
  name: z.string(),
  arguments: z.string(),
  status: z.string(),
  request: z
    .looseObject({ awaits: z.enum(["approval", "result"]), verdict: nullableText, reason: nullableText })
    .nullable(),
  result: z.looseObject({ text: z.string(), files: z.array(anyJson) }).nullable(),
});

export const storedMessageShape = z.looseObject({
  id: z.string(),
  parentId: nullableText,
  turnId: z.string(),
  role: z.enum(["user", "assistant", "tool"]),
  kind: z.string(),
  status: z.enum(["complete", "interrupted"]),
  content: z.array(anyJson),
  text: z.string(),
  tokens: whole,
  trust,
  at: moment,
});

const messageShape = storedMessageShape.extend({
  idempotencyKey: nullableText,
  calls: z.array(callShape),
  edits: z.array(revisionShape),
});

export const foundMessageShape = messageShape.extend({ agentId: z.string(), conversationId: z.string() });

export const messagesShape = z.strictObject({
  messages: z.array(messageShape),
  hasOlder: z.boolean(),
  hasNewer: z.boolean(),
});

export const branchShape = z.looseObject({
  id: z.string(),
  preview: z.string(),
  messages: whole,
  at: moment,
  isCurrent: z.boolean(),
  forkId: nullableText,
  ownMessages: whole,
});

export const waitingCallShape = z.looseObject({
  conversationId: z.string(),
  messageId: z.string(),
  callId: z.string(),
  toolName: z.string(),
  arguments: z.string(),
  preview: nullableText,
  definition: z.strictObject({ text: z.string(), change: nullableText }).optional(),
  requestedAt: moment,
});

export const startedShape = z.strictObject({ turnId: z.string(), agentId: z.string(), conversationId: z.string() });

export const windowShape = z.looseObject({
  system: z.strictObject({ instructions: z.string(), memory: z.string() }),
  messages: z.array(anyJson),
  retrieved: z.string(),
  state: z.string(),
  report: anyJson,
});

export const stepShape = z.looseObject({
  id: z.string(),
  /** Number of the call in its conversation, from 1. */
  ordinal: whole,
  at: moment,
  turnId: z.string(),
  number: whole,
  model: z.string(),
  finish: z.string(),
  usage: anyJson,
  report: anyJson,
});

/** What a change of the thread removed and reverted. */
export const revertedShape = z.looseObject({
  messages: z.array(storedMessageShape),
  edits: z.array(revisionShape),
  passages: z.array(passageShape),
});

export const editedReplyShape = z.strictObject({ messageId: z.string(), before: z.string(), after: z.string() });

export const sideAnswerShape = z.strictObject({ text: z.string(), usage: anyJson });

export const exportedMessageShape = z.looseObject({
  role: z.enum(["user", "assistant"]),
  text: z.string(),
  at: moment,
});

export const compactionShape = z.looseObject({
  id: z.string(),
  strategy: z.string(),
  summary: z.string(),
  tokensBefore: whole,
  tokensAfter: whole,
});
export const storedCompactionShape = compactionShape.extend({
  fromPosition: whole,
  throughPosition: whole,
  trust,
  undoneAt: moment.nullable(),
  at: moment,
});
export const undoneCompactionShape = z.looseObject({ tokensBefore: whole, tokensAfter: whole });

export const forgetPreviewShape = z.looseObject({
  texts: z.array(z.string()),
  places: z.array(anyJson),
  similar: z.array(anyJson),
  outOfReach: z.array(z.string()),
});
export const forgottenShape = z.looseObject({ id: nullableText, texts: z.array(z.string()), places: z.array(anyJson) });
