// Checks the transfer in an agent file: the extension that Palimpsest adds to Letta's format, so that nothing is lost.
// Invariant: a value of another shape is refused as a whole; unknown keys are refused too, because they would be lost.
import * as z from "zod";
import { acceptedTimes, isAcceptedTime } from "../base/calendar.ts";
import { isModuleLabel } from "../base/module-label.ts";
import { each } from "../base/same-fields.ts";
import { passageLengthFault } from "../store/port/passage-store.ts";
import { importedAs, importInvalid } from "./import-fault.ts";
import type { Transfer } from "../store/port/transfer-store.ts";

/** The version of the schema. A file of another version is refused. */
export const transferVersion = 1;

const uuid = z
  .string()
  .regex(/^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/u, "expected a UUID in lower case");
const expectedTime = `expected ${acceptedTimes}, such as 2026-11-21T10:13:00Z`;
const moment = z.iso.datetime({ error: expectedTime }).refine((text) => isAcceptedTime(new Date(text)), expectedTime);
const text = z.string();
const whole = z
  .number()
  .int()
  .min(0)
  .max(2 ** 31 - 1);
const trust = z.enum(["user", "model", "external"]);
const lineTrust = z.array(trust).nullable();
const origin = z.enum(["model", "user", "api", "import"]);
const json = z.record(z.string(), z.unknown());
const external = z.array(
  z.strictObject({
    kind: z.enum(["tool", "file", "message", "summary", "module", "prompt", "synopsis", "passage"]),
    id: text,
    name: text.optional(),
  }),
);

const revision = z.strictObject({
  revision: whole,
  ...each(text, "before", "after"),
  origin,
  isByOwner: z.boolean(),
  ...each(text.nullable(), "client", "toolName", "callId"),
  ...each(uuid.nullable(), "agentId", "messageId", "conversationId"),
  undoes: whole.nullable(),
  trust,
  lineTrust,
  external,
  at: moment,
});

const module = z.strictObject({
  id: uuid,
  label: z.string().refine(isModuleLabel, "expected letters, digits, _ and -, or skills/NAME"),
  description: text.nullable(),
  value: text,
  limit: whole.min(1),
  ...each(z.boolean(), "readOnly", "isKept"),
  trust,
  lineTrust,
  tags: z.array(text),
  metadata: json,
  ...each(moment, "createdAt", "updatedAt"),
  revision: whole,
  revisions: z.array(revision),
});

const file = z.strictObject({
  type: z.literal("file"),
  location: z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("attachment"), id: uuid }),
    z.strictObject({ type: z.literal("url"), url: text }),
  ]),
  kind: z.enum(["image", "audio", "video", "document", "custom"]),
  ...each(text, "mediaType", "name"),
  bytes: z.number().nullable(),
  ...each(z.number().optional(), "width", "height", "pages", "seconds", "textTokens"),
});

const part = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text }),
  z.strictObject({ type: z.literal("thought"), text, signature: text.optional() }),
  z.strictObject({ type: z.literal("tool-call"), ...each(text, "callId", "name", "arguments") }),
  z.strictObject({
    type: z.literal("tool-result"),
    ...each(text, "callId", "name", "text"),
    status: z.enum(["ok", "failed"]),
    files: z.array(file).optional(),
    printed: z.strictObject({ stdout: text, stderr: text }).optional(),
  }),
  file,
]);

const request = z.strictObject({
  requestedAt: moment,
  ...each(moment.nullable(), "expiresAt", "decidedAt"),
  ...each(text.nullable(), "arguments", "preview", "reason", "approvedArguments"),
  verdict: z.enum(["approved", "denied"]).nullable(),
  decidedBy: z.enum(["user", "message", "timeout"]).nullable(),
});

const call = z.strictObject({
  ...each(text, "callId", "name"),
  status: z.enum(["pending", "awaiting-approval", "awaiting-result", "awaiting-reply", "ok", "failed", "interrupted"]),
  resultMessageId: uuid.nullable(),
  createdAt: moment,
  settledAt: moment.nullable(),
  request: request.nullable(),
});

const message = z.strictObject({
  ...each(uuid, "id", "turnId"),
  parentId: uuid.nullable(),
  role: z.enum(["user", "assistant", "tool"]),
  speaker: text.nullable(),
  kind: z.enum(["message", "event", "system"]),
  status: z.enum(["complete", "interrupted"]),
  content: z.array(part),
  text,
  tokens: whole,
  trust,
  isRecalled: z.boolean(),
  at: moment,
  calls: z.array(call),
});

const compaction = z.strictObject({
  ...each(uuid, "id", "throughId"),
  strategy: z.enum(["recursive", "ring", "truncate"]),
  ...each(whole.min(1), "fromPosition", "throughPosition"),
  ...each(whole, "windowVersion", "threadMessages", "rangeTokens", "tokensBefore", "tokensAfter"),
  summary: text,
  ...each(text.nullable(), "model", "focus"),
  usage: z.strictObject(each(whole, "inputTokens", "outputTokens", "cachedInputTokens")),
  dollars: z.number().nullable(),
  trust,
  undoneAt: moment.nullable(),
  at: moment,
});

const conversation = z.strictObject({
  id: uuid,
  title: text.nullable(),
  leafId: uuid.nullable(),
  ...each(moment, "createdAt", "updatedAt"),
  messages: z.array(message),
  compactions: z.array(compaction),
});

const passage = z.strictObject({
  id: uuid,
  text: text.superRefine((value, context) => {
    const fault = passageLengthFault(value);
    if (fault !== null) context.addIssue(`expected ${fault}`);
  }),
  tags: z.array(text),
  kind: z.enum(["memory", "fact", "document"]),
  origin,
  trust,
  external,
  importance: z.number().min(0).max(1),
  ...each(uuid.nullable(), "conversationId", "messageId", "replacedBy"),
  callId: text.nullable(),
  accessCount: whole,
  accessedAt: moment.nullable(),
  at: moment,
});

const passages = z.array(passage).refine(hasNoCircle, "expected no passage that replaces itself, also indirectly");

function hasNoCircle(given: readonly z.output<typeof passage>[]): boolean {
  const links = new Map(given.map(({ id, replacedBy }) => [id, replacedBy]));
  const followed = new Map<string, string>();
  for (const start of links.keys()) {
    for (let id: string | null = start; id !== null && !followed.has(id); id = links.get(id) ?? null) {
      followed.set(id, start);
      const next = links.get(id) ?? null;
      if (next !== null && followed.get(next) === start) return false;
    }
  }
  return true;
}

const tool = z.strictObject({
  id: uuid,
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/u, "expected a name of letters, digits, _ and -"),
  description: text,
  parameters: json,
  kind: z.enum(["python", "client"]),
  source: text.nullable(),
  resultLimit: whole.nullable(),
  requiresApproval: z.boolean(),
  tags: z.array(text),
  metadata: json,
  ...each(moment, "createdAt", "updatedAt"),
});

const sourcePlace = z.strictObject({
  file: text,
  heading: text.optional(),
  ...each(whole.optional(), "page", "lineFrom", "lineTo"),
});

const source = z.strictObject({
  id: uuid,
  name: text.min(1),
  description: text.nullable(),
  ...each(json, "metadata", "extensions"),
  createdAt: moment,
  passages,
  files: z.array(
    z.strictObject({
      id: uuid,
      path: text,
      kind: z.enum(["text", "markdown", "html", "pdf", "json-lines", "code"]),
      bytes: z.number().int().min(0),
      sha256: z.string().regex(/^(?:[\da-f]{2})*$/u),
      reason: text.nullable(),
      loadedAt: moment,
      passages: z.array(z.strictObject({ id: uuid, text, place: sourcePlace })),
    }),
  ),
});

const agent = z.strictObject({
  id: uuid,
  ...each(text, "name", "model", "memoryType", "systemPrompt"),
  protocol: z.enum(["native", "heartbeat"]),
  description: text.nullable(),
  tags: z.array(text),
  ...each(json, "settings", "metadata", "extensions"),
  createdAt: moment,
  modules: z.array(z.strictObject({ id: uuid, scope: z.enum(["agent", "user"]) })),
  tools: z.array(z.strictObject({ id: uuid, requiresApproval: z.boolean().nullable() })),
  sources: z.array(uuid),
  conversations: z.array(conversation),
  passages,
});

const form = z.strictObject({
  version: z.literal(transferVersion),
  modules: z.array(module),
  tools: z.array(tool),
  sources: z.array(source),
  agents: z.array(agent),
});

/** Returns the transfer that a file's extension contains. Throws RequestError `import_invalid` for another version or shape. */
export function parseTransfer(value: unknown): Transfer {
  const version = typeof value === "object" && value !== null && "version" in value ? value.version : undefined;
  if (version !== transferVersion) {
    throw importInvalid(
      `the key "palimpsest" has the version ${JSON.stringify(version) ?? "(none)"}, and this version of Palimpsest reads version ${transferVersion}`,
    );
  }
  const { version: _version, ...transfer } = importedAs(form, value, "palimpsest");
  // The cast is sound: the settings are checked where agents are stored, and JSON has no undefined.
  return transfer as unknown as Transfer;
}
