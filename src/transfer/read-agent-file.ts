// Reads agent files: those of Palimpsest, and those of Letta in both forms.
// Invariant: pure except for taking new ids; a file is read completely or refused, and a note reports what cannot be moved.
import type { Ids } from "../base/ids.ts";
import type {
  Transfer,
  TransferredConversation,
  TransferredModule,
  TransferredTool,
} from "../store/port/transfer-store.ts";
import { importInvalid } from "./import-fault.ts";
import {
  agentOf,
  conversationWith,
  modelsOf,
  moduleLabels,
  moduleOf,
  protocolOf,
  secretNames,
} from "./letta/letta-agent.ts";
import { type LettaFile, type LettaFileAgent, parseLettaFile } from "./letta/letta-form.ts";
import { type ReadTool, rulesOf, toolOf } from "./letta/letta-tools.ts";
import { threadOf } from "./letta/letta-messages.ts";
import { parseTransfer } from "./transfer-form.ts";

/** A text file to load into a source. */
export interface TextFile {
  /** The id under which the file is stored; null for a new id. */
  readonly id: string | null;
  readonly sourceId: string;
  readonly name: string;
  readonly text: string;
}

export interface ReadAgents {
  readonly transfer: Transfer;
  /** Whether Palimpsest wrote the file. If so, its settings are complete, and its ids can be kept. */
  readonly isOwn: boolean;
  /** Possible names of each agent's model in Palimpsest, the most exact first, by the agent's id. */
  readonly models: ReadonlyMap<string, readonly string[]>;
  readonly files: readonly TextFile[];
  /** Sentences that each name something that was not moved. */
  readonly notes: readonly string[];
}

export interface ReadFileOptions {
  readonly ids: Ids;
  readonly now: Date;
}

/**
 * Returns the agents of a file, given as JSON text, as JSON text that contains JSON text, or as the parsed value. Throws
 * RequestError `import_invalid`.
 */
export function readAgentFile(given: unknown, options: ReadFileOptions): ReadAgents {
  const value = decoded(given);
  const own = typeof value === "object" && value !== null && "palimpsest" in value ? value.palimpsest : undefined;
  if (own !== undefined && own !== null) {
    const transfer = parseTransfer(own);
    if (transfer.agents.length === 0) throw importInvalid("the file contains no agent");
    const models = new Map(transfer.agents.map(({ id, model }) => [id, [model]]));
    return { transfer, isOwn: true, models, files: [], notes: [] };
  }
  return readLettaFile(parseLettaFile(value), options);
}

/** Returns the value of a file. Some files of Letta are a JSON string that contains the JSON text. */
function decoded(given: unknown): unknown {
  const once = typeof given === "string" ? parsed(given) : given;
  return typeof once === "string" ? parsed(once) : once;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message is dropped, because it would quote the file.
    throw importInvalid("expected an agent file as JSON, got text that is not JSON or is cut off");
  }
}

interface LettaScene {
  readonly file: LettaFile;
  readonly at: string;
  readonly ids: Ids;
  readonly modules: ReadonlyMap<string, TransferredModule>;
  readonly tools: ReadonlyMap<string, { readonly name: string; readonly tool: TransferredTool | null }>;
  readonly sources: ReadonlyMap<string, string>;
  readonly notes: string[];
}

function readLettaFile(file: LettaFile, { ids, now }: ReadFileOptions): ReadAgents {
  const at = now.toISOString();
  const labels = moduleLabels(file.blocks ?? []);
  const notes = [...unmovedParts(file), ...labels.notes];
  const modules = new Map(
    (file.blocks ?? []).map((block) => {
      const label = labels.labelOf(block.label);
      return [block.id, moduleOf(block, { id: ids.next(), label, at })];
    }),
  );
  const tools = new Map(
    (file.tools ?? []).map((letta) => {
      const { tool, note }: ReadTool = toolOf(letta, at);
      if (note !== null) notes.push(`${note}.`);
      return [letta.id, { name: letta.name, tool: tool === null ? null : { ...tool, id: ids.next() } }];
    }),
  );
  const sources = new Map((file.sources ?? []).map(({ id }) => [id, ids.next()]));
  const scene: LettaScene = { file, at, ids, modules, tools, sources, notes };
  const agents = file.agents.map((agent) => readAgent(agent, scene));
  const models = new Map(agents.map(({ id }, index) => [id, modelsOf(file.agents[index]!)]));
  return {
    transfer: {
      modules: [...modules.values()],
      tools: [...tools.values()].flatMap(({ tool }) => tool ?? []),
      sources: (file.sources ?? []).map(({ id, name, description }) => ({
        id: sources.get(id)!,
        name,
        description: description ?? null,
        createdAt: at,
        metadata: {},
        extensions: {},
        passages: [],
        files: [],
      })),
      agents,
    },
    isOwn: false,
    models,
    files: textFiles(scene),
    notes,
  };
}

function unmovedParts({ groups, mcp_servers: servers, skills }: LettaFile): string[] {
  const counted = [
    [groups, "group(s) of agents"],
    [servers, "MCP server(s)"],
    [skills, "skill(s)"],
  ] as const;
  return counted.flatMap(([items, what]) =>
    (items ?? []).length === 0 ? [] : [`${(items ?? []).length} ${what}: not moved.`],
  );
}

function readAgent(letta: LettaFileAgent, scene: LettaScene) {
  const { at, ids, notes } = scene;
  const blocks = found(letta.block_ids, scene.modules, "block");
  const tools = found(letta.tool_ids, scene.tools, "tool");
  const sources = found(letta.source_ids ?? letta.folder_ids, scene.sources, "source");
  requireLabels(letta, blocks);
  const agent = agentOf(letta, {
    id: ids.next(),
    at,
    toolNames: tools.map(({ name }) => name),
    modules: blocks,
    tools: tools.flatMap(({ tool }) =>
      tool === null ? [] : [{ id: tool.id, requiresApproval: tool.source === null ? null : true }],
    ),
    sources,
  });
  const conversation = conversationOf(letta, agent.id, scene);
  const { dropped } = rulesOf(
    letta.tool_rules ?? [],
    tools.map(({ name }) => name),
  );
  if (dropped > 0) notes.push(`agent ${JSON.stringify(agent.name)}: ${dropped} tool rule(s) have no counterpart here.`);
  const secrets = secretNames(letta);
  if (secrets.length > 0)
    notes.push(`agent ${JSON.stringify(agent.name)}: ${secrets.length} secret(s) not moved: ${secrets.join(", ")}.`);
  return { ...agent, conversations: conversation === null ? [] : [conversation] };
}

function found<Item>(ids: readonly string[] | null | undefined, known: ReadonlyMap<string, Item>, what: string) {
  return (ids ?? []).map((id) => {
    const item = known.get(id);
    if (item === undefined) throw importInvalid(`an agent names a ${what} that the file does not contain`);
    return item;
  });
}

function requireLabels({ block_ids: ids }: LettaFileAgent, modules: readonly TransferredModule[]): void {
  const labels = modules.map(({ label }) => label);
  const at = labels.findIndex((label, index) => labels.indexOf(label) !== index);
  if (at !== -1) throw importInvalid(`an agent has two blocks with the label ${labels[at]!} (${ids?.[at] ?? ""})`);
}

/** Returns the agent's own conversation, which has the id of the agent: Letta's clients find it under `default`. */
function conversationOf(
  letta: LettaFileAgent,
  agentId: string,
  { at, ids }: LettaScene,
): TransferredConversation | null {
  const given = letta.messages ?? [];
  const known = new Map<string, string>();
  const idOf = (id: string | null): string => {
    const stored = id === null ? undefined : known.get(id);
    const next = stored ?? ids.next();
    if (id !== null) known.set(id, next);
    return next;
  };
  const inContext = letta.in_context_message_ids ?? null;
  const options = { protocol: protocolOf(letta), system: letta.system ?? "", idOf, inContext, at };
  const thread = threadOf(given, options);
  return thread.messages.length === 0 && thread.summary === ""
    ? null
    : conversationWith(thread, { id: agentId, compactionId: ids.next(), title: null, at });
}

type FileNames = { readonly [Name in "original_file_name" | "file_name"]?: string | null | undefined };

/** Returns the name of a file. Letta keeps equal names apart by numbers in `file_name`, such as `FOLDER/notes_(1).txt`. */
export function nameOfFile({ original_file_name: original, file_name: stored }: FileNames): string {
  const last = stored?.split("/").at(-1) ?? "";
  return last.replace(/_\(\d+\)(?=(?:\.[^.]*)?$)/u, "") === original ? last : (original ?? stored ?? "file.txt");
}

function textFiles({ file, sources, notes }: LettaScene): readonly TextFile[] {
  return (file.files ?? []).flatMap(({ source_id: source, content, ...names }) => {
    const sourceId = sources.get(source ?? "");
    const name = nameOfFile(names);
    if (sourceId === undefined || content === null || content === undefined) {
      notes.push(`file ${JSON.stringify(name)}: its text is not in the agent file.`);
      return [];
    }
    return [{ id: null, sourceId, name, text: content }];
  });
}
