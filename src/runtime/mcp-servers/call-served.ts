// Calls a tool of an MCP server that the user has added.
// Invariant: the server's row is read for each call, so that a change or deletion takes effect at once.
import { RequestError, ToolError } from "../../base/errors.ts";
import type { StoredTool } from "../../store/port/stored-tool-store.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";

export type CallDeps = Pick<OperationDeps, "store" | "toolServers">;

/** Calls the tool and returns the result for the model. Throws ToolError if the call fails. */
export async function callServed(
  { store, toolServers }: CallDeps,
  { name, served }: Pick<StoredTool, "name" | "served">,
  call: { readonly args: unknown; readonly signal: AbortSignal },
): Promise<unknown> {
  const server = served === null ? null : await store.mcpServers.find(served.serverId);
  if (served === null || server === null) throw new ToolError(`${name} was not run: its MCP server was deleted.`);
  const { toolName, hash } = served;
  try {
    return await toolServers.call(server, { toolName, hash, ...call });
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    throw new ToolError(`${name} was not run: ${error.message}`, { cause: error });
  }
}
