// Makes a transfer use the stored tools and sources that the user already has under the same names.
// Invariant: no stored tool gets the name of a tool that the runtime or the program defines; the user's own tools are changed
// only on request, after the rest is stored.
import { replacedIds } from "../../../transfer/renew-ids.ts";
import type { Transfer, TransferredTool } from "../../../store/port/transfer-store.ts";
import type { StoredToolChange } from "../../../store/port/stored-tool-store.ts";
import type { AgentImportOptions } from "../agent-files.ts";
import type { OperationDeps } from "../../operations/operation-deps.ts";
import { definedNames } from "../../stored-tools/built-in-tools.ts";
import { checkedChange } from "../../stored-tools/stored-tool-input.ts";

type ShareDeps = Pick<OperationDeps, "store" | "registry" | "defaults" | "tools" | "retrieval" | "ids" | "clock">;

export interface Shared {
  readonly transfer: Transfer;
  /** Updates the user's stored tools from the imported tools with the same names, if the caller chose `replace`. */
  replaceTools(): Promise<void>;
}

/**
 * Returns the transfer, changed to use the user's stored tools and sources with the same names. Throws DefinitionError and
 * RequestError `input_invalid` for a tool that cannot be stored.
 */
export async function shareNamed(
  deps: ShareDeps,
  transfer: Transfer,
  { options, notes }: { readonly options: Pick<AgentImportOptions, "existingTools">; readonly notes: string[] },
): Promise<Shared> {
  const free = await freeIds(deps, { ...transfer, tools: ownTools(deps, transfer.tools, notes) });
  const known = new Map<string, string>();
  const replaced: TransferredTool[] = [];
  for (const tool of free.tools) {
    const stored = await deps.store.tools.find(tool.name);
    if (stored?.name !== tool.name) continue;
    known.set(tool.id, stored.id);
    if (options.existingTools === "replace" && stored.kind !== "mcp") replaced.push(tool);
    else notes.push(`tool "${tool.name}": the stored tool of this name was kept.`);
  }
  for (const source of free.sources) {
    const stored = await deps.store.sources.find(source.name);
    if (stored?.name !== source.name) continue;
    known.set(source.id, stored.id);
    notes.push(`source "${source.name}": the source of this name was kept.`);
  }
  return {
    transfer: withKnown(free, known),
    replaceTools: async () => {
      for (const { id, name: _name, createdAt: _created, updatedAt: _updated, ...tool } of replaced) {
        const change: StoredToolChange = { ...tool, updatedAt: deps.clock.now() };
        await deps.store.tools.update(known.get(id)!, change);
      }
    },
  };
}

export interface MatchedTools {
  readonly tools: readonly TransferredTool[];
  /** The id in this store of each given tool, including tools that the user already had. */
  readonly ids: ReadonlyMap<string, string>;
}

/** Returns the tools to store, and an id for every tool: the id of the user's stored tool if one has the same name. */
export async function matchTools(
  deps: ShareDeps,
  given: readonly TransferredTool[],
  notes: string[],
): Promise<MatchedTools> {
  const ids = new Map<string, string>();
  const tools: TransferredTool[] = [];
  for (const tool of ownTools(deps, given, notes)) {
    const sameName = await deps.store.tools.find(tool.name);
    const other = sameName?.name === tool.name && sameName.id !== tool.id ? sameName : undefined;
    const earlier = tools.find(({ name }) => name === tool.name);
    const used = other ?? earlier;
    if (used === undefined) tools.push(tool);
    else notes.push(`tool "${tool.name}": another tool of this name is used instead.`);
    ids.set(tool.id, used?.id ?? tool.id);
  }
  return { tools, ids };
}

/** Returns the tools, without those that have the name of a tool of the runtime or of the program. */
function ownTools(deps: ShareDeps, tools: readonly TransferredTool[], notes: string[]): readonly TransferredTool[] {
  const defined = new Set(definedNames(deps));
  for (const { name } of tools.filter((tool) => defined.has(tool.name))) {
    notes.push(`tool "${name}": the program has a tool of this name, which is used instead.`);
  }
  return tools.filter((tool) => !defined.has(tool.name)).map(checkedTool);
}

function checkedTool(tool: TransferredTool): TransferredTool {
  const { name, description, parameters, source, resultLimit, requiresApproval, tags, metadata } = tool;
  const given = { name, description, parameters, source, resultLimit, requiresApproval, tags, metadata };
  return { ...tool, ...checkedChange(name, given) } as TransferredTool;
}

/** Gives tools, sources, files and passages new ids if the user already has records with these ids. */
async function freeIds({ store, ids }: ShareDeps, transfer: Transfer): Promise<Transfer> {
  const files = transfer.sources.flatMap((source) => source.files);
  const given = [
    ...transfer.tools.map(({ id }) => id),
    ...transfer.sources.flatMap(({ id, passages }) => [id, ...passages.map((passage) => passage.id)]),
    ...files.flatMap(({ id, passages }) => [id, ...passages.map((passage) => passage.id)]),
  ];
  const used = new Set(await store.transfers.idsInUse(given));
  if (used.size === 0) return transfer;
  const renewed = new Map(given.map((id) => [id, ids.next()]));
  const replaced = replacedIds(transfer, (id) => (id === null ? id : ((renewed.get(id) ?? id) as typeof id)));
  return {
    ...replaced,
    sources: replaced.sources.map((source) => ({
      ...source,
      files: source.files.map((file) => ({
        ...file,
        id: renewed.get(file.id)!,
        passages: file.passages.map((passage) => ({ ...passage, id: renewed.get(passage.id)! })),
      })),
    })),
  };
}

/**
 * Returns the transfer without the tools and sources that the user already has; its agents refer to the user's records
 * instead. References to tools and sources that are not in the transfer are removed.
 */
function withKnown(transfer: Transfer, known: ReadonlyMap<string, string>): Transfer {
  const given = new Set([...transfer.tools, ...transfer.sources].map(({ id }) => id));
  return {
    ...transfer,
    tools: transfer.tools.filter(({ id }) => !known.has(id)),
    sources: transfer.sources.filter(({ id }) => !known.has(id)),
    agents: transfer.agents.map((agent) => ({
      ...agent,
      tools: agent.tools
        .filter(({ id }) => given.has(id))
        .map((tool) => ({ ...tool, id: known.get(tool.id) ?? tool.id })),
      sources: agent.sources.filter((id) => given.has(id)).map((id) => known.get(id) ?? id),
    })),
  };
}
