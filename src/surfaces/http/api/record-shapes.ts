// The JSON of the records that `/api` returns about shared modules, tools, sources, turns and users.
// Invariant: a record's shape contains what its type in the runtime has; tests check every response against it.
import * as z from "zod";
import { attachedToolFields, storedToolFields } from "../../../runtime/stored-tools/contract.ts";
import { recordShape } from "./form-shapes.ts";
import { moment, whole } from "./shapes.ts";

const nullableText = z.string().nullable();
const anyJson = z.record(z.string(), z.unknown());
const access = z.enum(["read", "append", "write"]);

/** The ids of files that were closed. */
export const closedFilesShape = z.array(z.string());

export const attachedFileShape = z.strictObject({
  id: z.string(),
  sourceId: z.string(),
  sourceName: z.string(),
  name: z.string(),
  path: z.string(),
  passages: whole,
  open: z.strictObject({ from: whole, to: whole.nullable(), at: moment }).nullable(),
});

/** Whether a request that may be repeated changed something. */
export const changedShape = z.strictObject({ isChanged: z.boolean() });

export const sharedModuleShape = z.looseObject({
  id: z.string(),
  ownerId: z.string(),
  label: z.string(),
  description: nullableText,
  value: z.string(),
  limit: whole,
  readOnly: z.boolean(),
  revision: whole,
  trust: z.enum(["user", "model", "external"]),
  access: z.enum(["own", "read", "append", "write"]),
  tags: z.array(z.string()),
  metadata: anyJson,
  createdAt: moment,
  updatedAt: moment,
});

export const moduleHolderShape = z.strictObject({ agentId: z.string(), agentName: z.string() });

export const moduleOfferShape = z.looseObject({
  moduleId: z.string(),
  ownerId: z.string(),
  label: z.string(),
  access,
  at: moment,
});

export const moduleRecipientShape = z.looseObject({ userId: z.string(), access, state: z.string(), at: moment });

export const agentOfferShape = z.strictObject({
  agentId: z.string(),
  ownerId: z.string(),
  name: z.string(),
  at: moment,
});

export const agentRecipientShape = z.strictObject({
  userId: z.string(),
  state: z.enum(["offered", "accepted"]),
  at: moment,
});

export const formerAgentShape = z.strictObject({
  id: z.string(),
  ownerId: nullableText,
  name: z.string(),
  timeZone: z.string(),
  endedAt: moment,
});

export const agentFileShape = z.looseObject({
  agents: z.array(anyJson),
  blocks: z.array(anyJson),
  tools: z.array(anyJson),
  palimpsest: anyJson,
});

export const storedToolShape = recordShape(storedToolFields);

export const builtInToolShape = z.strictObject({
  name: z.string(),
  description: z.string(),
  parameters: anyJson,
  origin: z.enum(["runtime", "program"]),
  isOptional: z.boolean(),
  needsFiles: z.boolean(),
});

export const agentToolsShape = z.strictObject({
  builtIn: z.array(builtInToolShape),
  stored: z.array(recordShape(attachedToolFields)),
});

export const sourceShape = z.looseObject({
  id: z.string(),
  name: z.string(),
  description: nullableText,
  metadata: anyJson,
  extensions: anyJson,
  files: whole,
  failed: whole,
  bytes: whole,
  passages: whole,
  agents: z.array(z.string()),
  agentIds: z.array(z.string()),
  createdAt: moment,
  loadedAt: moment.nullable(),
});

export const sourceFileShape = z.strictObject({
  id: z.string(),
  path: z.string(),
  kind: z.string(),
  bytes: whole,
  sha256: z.string(),
  passages: whole,
  status: z.enum(["loaded", "failed"]),
  reason: nullableText,
  loadedAt: moment,
});

export const loadedShape = z.looseObject({
  source: sourceShape,
  added: whole,
  changed: whole,
  unchanged: whole,
  failed: z.array(anyJson),
  skipped: z.array(anyJson),
  passages: whole,
});

export const turnRecordShape = z.strictObject({
  id: z.string(),
  agentId: z.string(),
  conversationId: z.string(),
  state: z.enum(["queued", "running", "waiting", "completed", "failed", "interrupted"]),
  stopReason: nullableText,
  errorCode: nullableText,
  isBackground: z.boolean(),
  metadata: anyJson,
  createdAt: moment,
  endedAt: moment.nullable(),
});

export const turnStepShape = z.looseObject({
  id: z.string(),
  turnId: z.string(),
  agentId: z.string(),
  conversationId: z.string(),
  messageId: z.string(),
  number: whole,
  model: z.string(),
  finish: z.string(),
  usage: anyJson,
  report: anyJson,
  at: moment,
});

export const forgettingShape = z.strictObject({
  id: z.string(),
  origin: z.string(),
  requestedAt: moment,
  appliedAt: moment.nullable(),
  counts: z.record(z.string(), whole),
});

export const sweepShape = z.strictObject({
  id: z.string(),
  agentId: z.string(),
  at: moment,
  limits: anyJson,
  dropped: anyJson,
});

export const synopsisShape = z.strictObject({
  isOn: z.boolean(),
  identity: anyJson.nullable(),
  context: anyJson.nullable(),
  text: nullableText,
  tokens: whole,
  memoryTokens: whole,
  savedPercent: z.number().nullable(),
});

export const plannedContextShape = z.looseObject({
  synopsis: nullableText,
  recent: z.array(anyJson),
  found: z.array(anyJson),
  tokens: whole,
  explanation: z.array(anyJson),
  sources: z.array(anyJson),
  warnings: z.array(z.string()),
});

export const modelListingShape = z.strictObject({
  models: z.array(z.strictObject({ name: z.string(), contextWindow: whole })),
  unread: z.array(z.string()),
});

/** In dollars per million tokens. */
export const modelPriceShape = z.strictObject({
  model: z.string(),
  price: z
    .strictObject({ input: z.number(), cachedInput: z.number(), output: z.number(), listedAt: z.string().optional() })
    .nullable(),
});

export const knownEmbedderShape = z.strictObject({
  name: z.string(),
  dimensions: whole.nullable(),
  windowTokens: whole.nullable(),
  isUsed: z.boolean(),
});

export const usageShape = z.strictObject({
  agents: whole,
  sharedWith: whole,
  conversations: whole,
  messages: whole,
  passages: whole,
  sources: whole,
});
