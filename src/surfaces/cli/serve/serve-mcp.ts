// Memory over MCP for the clients of the server.
// Invariant: a key of one agent reaches that agent only; what a client writes is external, as over stdin.
import type { UserRuntime } from "../../../runtime/runtime.ts";
import { surfaceText } from "../../surface-words.ts";
import { defaultAgent } from "../command.ts";
import type { World } from "../world.ts";

interface ServedMemory {
  readonly runtime: UserRuntime;
  readonly key: { readonly scope: "read" | "chat" | "admin"; readonly agentId: string | null };
}

/** Longest body of a request. */
const maxBytes = 10_000_000;

export async function serveMcp(world: World, request: Request, { runtime, key }: ServedMemory): Promise<Response> {
  // Loaded with the first request: most servers have none.
  const { serveMemoryRequest } = await import("../../mcp/serve-memory.ts");
  const isOnlyAgent = key.agentId !== null;
  const named = new URL(request.url).searchParams.get("agent") ?? defaultAgent;
  return serveMemoryRequest(request, {
    runtime: Promise.resolve(runtime),
    agent: key.agentId === null ? named : (await runtime.agents.find(key.agentId)).name,
    isOnlyAgent,
    scope: key.scope,
    trust: "external",
    client: "an MCP client",
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    version: world.version,
    words: (text) => surfaceText(text, "command-line", world.command),
    maxBytes,
  });
}
