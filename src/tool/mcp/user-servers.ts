// Reaches the MCP servers that users have added, each for one listing or one call.
// Invariant: a place is used only as far as the operator allows, and a connection ends with what it was opened for.
import type { Clock } from "../../base/clock.ts";
import type { Config } from "../../config/settings.ts";
import { RequestError } from "../../base/errors.ts";
import { outputOf } from "./call-result.ts";
import { createHttpFetch, refusedPlace } from "./http-fetch.ts";
import { createQuestions } from "./questions.ts";
import { createServerConnection, type ServerConnection } from "./server-connection.ts";
import type { ToolDefinition } from "./tool-definition.ts";

export interface UserServer {
  readonly name: string;
  readonly place:
    | { readonly url: string; readonly headers: Readonly<Record<string, string>> }
    | { readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };
}

interface ServerCall extends Pick<ToolDefinition, "toolName" | "hash"> {
  readonly args: unknown;
  readonly signal: AbortSignal;
}

type Reach = Config["userMcpServers"];

/** Both functions throw RequestError `mcp_server_refused`, and ToolError for a server that fails. */
export function createUserServers(reach: Reach, { clock }: { readonly clock: Clock }) {
  const fetchFrom = createHttpFetch({ onlyPublic: reach === "public" });

  async function connected<Result>(server: UserServer, use: (connection: ServerConnection) => Promise<Result>) {
    requireReach(reach, server);
    const connection = createServerConnection(server.name, optionsOf(server), {
      clock,
      // What is logged is also thrown, or among the notes, and belongs to the user.
      log: () => undefined,
      // Nobody watches, so that questions are declined.
      questions: createQuestions(),
      fetch: fetchFrom,
    });
    try {
      return await use(connection);
    } catch (error) {
      throw refusalIn(error) ?? error;
    } finally {
      await connection.close();
    }
  }

  return {
    list: (server: UserServer) =>
      connected(server, async (connection) => {
        await connection.use(async () => undefined);
        const tools = connection.definitions().map(({ name, toolName, description, parameters, hash, definition }) => {
          return { name, description, parameters, served: { toolName, hash, definition } };
        });
        return { tools, problems: connection.state().notes };
      }),
    call: (server: UserServer, { toolName, hash, args, signal }: ServerCall) =>
      connected(server, async (connection) => {
        // Of the definition, only what says which one it is.
        const definition = { name: toolName, toolName, hash, description: "", parameters: {}, definition: "" };
        return outputOf(await connection.call(definition, args, signal));
      }),
  };
}

function optionsOf({ place }: UserServer) {
  return "url" in place ? { url: place.url, headers: { ...place.headers } } : { ...place, args: [...place.args] };
}

function requireReach(reach: Reach, { place }: UserServer): void {
  if (reach === "off") throw refusedPlace("users cannot add MCP servers here: the setting `userMcpServers` is off");
  if ("url" in place || reach === "programs") return;
  throw refusedPlace(
    "a server that is a command would run on the machine of this host. Give the URL of a server over HTTP; the operator can allow commands by the setting `userMcpServers`: programs",
  );
}

/** Returns the refusal that made a connection fail. */
function refusalIn(error: unknown): RequestError | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof RequestError) return cause;
  return null;
}
