// The shape of an agent file: that of Letta 0.16, and the older one of a single agent, which becomes the newer.
// Invariant: after parsing there is one shape; a value of neither shape is refused with the place of the fault.
import * as z from "zod";
import { faultText, importInvalid } from "../import-fault.ts";
import {
  embeddingConfig,
  lettaAgent,
  lettaBlock,
  lettaFile,
  lettaMessage,
  lettaSource,
  lettaTool,
  llmConfig,
} from "./letta-form.ts";

const ids = z.array(z.string()).nullish();

const fileAgent = lettaAgent.extend({
  id: z.string(),
  block_ids: ids,
  tool_ids: ids,
  source_ids: ids,
  folder_ids: ids,
  in_context_message_ids: ids,
  messages: z.array(lettaMessage).nullish(),
  group_ids: ids,
});

const withId = { id: z.string() };

const agentFile = z.looseObject({
  agents: z.array(fileAgent).min(1),
  blocks: z.array(lettaBlock.extend(withId)).nullish(),
  tools: z.array(lettaTool.extend(withId)).nullish(),
  sources: z.array(lettaSource.extend(withId)).nullish(),
  files: z.array(lettaFile).nullish(),
  groups: z.array(z.unknown()).nullish(),
  mcp_servers: z.array(z.unknown()).nullish(),
  skills: z.array(z.unknown()).nullish(),
  palimpsest: z.unknown().optional(),
});

export type LettaFile = z.infer<typeof agentFile>;
export type LettaFileAgent = z.infer<typeof fileAgent>;

const olderFile = lettaAgent.extend({
  core_memory: z.array(lettaBlock),
  messages: z.array(lettaMessage),
  in_context_message_indices: z.array(z.number().int().min(0)).nullish(),
  message_ids: ids,
  tools: z.array(lettaTool).nullish(),
  tags: z.array(z.union([z.string(), z.looseObject({ tag: z.string() }).transform(({ tag }) => tag)])).nullish(),
  llm_config: llmConfig.nullish(),
  embedding_config: embeddingConfig.nullish(),
});

/** Throws RequestError `import_invalid`. */
export function parseLettaFile(value: unknown): LettaFile {
  if (typeof value === "object" && value !== null && "core_memory" in value && !("agents" in value)) {
    const { data, error } = olderFile.safeParse(value);
    if (error !== undefined) throw importInvalid(faultText("", error));
    return newerFile(data);
  }
  if (typeof value !== "object" || value === null || !("agents" in value)) {
    throw importInvalid('expected an agent file: a JSON object with "agents", or with "core_memory" in the older form');
  }
  const { data, error } = agentFile.safeParse(value);
  if (error !== undefined) throw importInvalid(faultText("", error));
  return data;
}

function newerFile(older: z.infer<typeof olderFile>): LettaFile {
  const { core_memory: blocks, tools, messages, in_context_message_indices: window, tags, ...agent } = older;
  const numbered = messages.map((message, index) => ({ ...message, id: `message-${index}` }));
  const named = (prefix: string) => (item: object, index: number) => ({ ...item, id: `${prefix}-${index}` });
  return agentFile.parse({
    agents: [
      {
        ...agent,
        id: "agent-0",
        tags: tags ?? [],
        messages: numbered,
        in_context_message_ids: window?.flatMap((index) => numbered[index]?.id ?? []) ?? null,
        block_ids: blocks.map((_, index) => `block-${index}`),
        tool_ids: (tools ?? []).map((_, index) => `tool-${index}`),
      },
    ],
    blocks: blocks.map(named("block")),
    tools: (tools ?? []).map(named("tool")),
  });
}
