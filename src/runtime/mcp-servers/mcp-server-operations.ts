// Adds, changes and deletes the MCP servers of a user, and lists and runs their tools.
// Invariant: no result and no error contains the value of a header or variable; a server that the host forbids is not
// stored.
import { RequestError, ToolError } from "../../base/errors.ts";
import type { McpServerPlace, StoredMcpServer } from "../../store/port/mcp-server-store.ts";
import type { StoredTool } from "../../store/port/stored-tool-store.ts";
import type {
  McpServerChange,
  McpServerOperations,
  McpServerOptions,
  McpServerRefresh,
  McpToolResult,
  UserMcpServer,
} from "./contract.ts";
import { ResultWithFiles } from "../../tool/result-with-files.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { callServed } from "./call-served.ts";
import type { ServerAddress, ServerOffer } from "./tool-servers.ts";
import { codePointLength, describeText } from "../../base/code-points.ts";
import { settings } from "../../config/settings.ts";
import { zod } from "../../config/zod.ts";
import { inputChecks } from "../operations/input-checks.ts";

type ServerDeps = Pick<OperationDeps, "store" | "toolServers" | "ids" | "clock">;

/** Maximum rows of the query for all tools of a server. No server has so many tools. */
const allTools = 1000;

export function createMcpServerOperations(deps: ServerDeps): McpServerOperations {
  const { store, ids, clock } = deps;
  const required = async (id: string): Promise<StoredMcpServer> => found(await store.mcpServers.find(id));
  const toolsOf = (serverId: string) => store.tools.list({ serverId, order: "oldest", limit: allTools });
  return {
    create: async ({ id, name, metadata = {}, ...given }) => {
      const named = { id: id === undefined ? ids.next() : checkedId(id), name: checkedName(name) };
      const place = changedPlace(null, given);
      checkedJson("metadata", metadata);
      const offer = await reached(deps, { name, place });
      const now = clock.now();
      const server = { ...named, place, metadata, createdAt: now, updatedAt: now };
      await store.mcpServers.create(server);
      return changeOf(deps, server, offer);
    },
    find: async (id) => shown(await required(id)),
    list: async () => (await store.mcpServers.list()).map(shown),
    update: async (id, { name, metadata, ...given }) => {
      const before = await required(id);
      const isMoved = Object.values(given).some((value) => value !== undefined);
      const change = {
        ...(name === undefined ? {} : { name: checkedName(name) }),
        ...(metadata === undefined ? {} : { metadata: checkedJson("metadata", metadata) }),
        // A place for which the caller gives nothing is not written, because another change may have replaced it meanwhile.
        ...(isMoved ? { place: changedPlace(before.place, given) } : {}),
      };
      const offer = await reached(deps, { ...before, ...change });
      const server = found(await store.mcpServers.update(id, { ...change, updatedAt: clock.now() }));
      return changeOf(deps, server, offer);
    },
    delete: async (id) => {
      if (!(await store.mcpServers.delete(id))) throw unknownServer();
    },
    refresh: async (id) => {
      const server = await required(id);
      const offer = await reached(deps, server);
      if (typeof offer !== "string") return refreshed(deps, server, offer);
      const message = `The MCP server ${server.name} cannot be used: ${offer}. Nothing was changed.`;
      throw new RequestError("mcp_server_unreachable", message);
    },
    tools: async (id) => toolsOf((await required(id)).id),
    run: async (id, tool, args, signal = new AbortController().signal) => {
      const server = await required(id);
      const known = (await toolsOf(server.id)).find((one) => one.id === tool || one.name === tool);
      if (known !== undefined) return resultOf(deps, known, { args, signal });
      throw new RequestError("tool_not_found", `The MCP server ${server.name} has no tool "${tool}".`);
    },
  };
}

/** Returns the server's tools, or the reason why the server cannot be used. */
async function reached({ toolServers }: ServerDeps, server: ServerAddress): Promise<ServerOffer | string> {
  try {
    return await toolServers.list(server);
  } catch (error) {
    if (error instanceof ToolError) return error.message;
    throw error;
  }
}

async function changeOf(
  deps: ServerDeps,
  server: StoredMcpServer,
  offer: ServerOffer | string,
): Promise<McpServerChange> {
  const none = { added: [], updated: [], deleted: [] };
  const refresh = typeof offer === "string" ? { ...none, problems: [offer] } : await refreshed(deps, server, offer);
  return { server: shown(server), refresh };
}

async function refreshed(
  { store, ids, clock }: ServerDeps,
  { id }: Pick<StoredMcpServer, "id">,
  { tools, problems }: ServerOffer,
): Promise<McpServerRefresh> {
  const offered = tools.map((tool) => ({ ...tool, id: ids.next() }));
  const changes = await store.mcpServers.putTools(id, offered, clock.now());
  // The result is null if another process has deleted the server.
  if (changes === null) throw unknownServer();
  const { refused, ...done } = changes;
  const taken = refused.map(
    (name) => `${JSON.stringify(name)} is left out, or keeps its old name: another stored tool has this name`,
  );
  return { ...done, problems: [...problems, ...taken] };
}

async function resultOf(
  deps: ServerDeps,
  tool: StoredTool,
  call: { readonly args: unknown; readonly signal: AbortSignal },
): Promise<McpToolResult> {
  try {
    const output = await callServed(deps, tool, call);
    if (!(output instanceof ResultWithFiles)) return { status: "ok", text: String(output) };
    const names = output.files.map((file) => (typeof file === "string" ? file : (file.name ?? "a file")));
    return { status: "ok", text: [String(output.text), ...names.map((name) => `[${name}]`)].join("\n").trim() };
  } catch (error) {
    if (error instanceof ToolError) return { status: "failed", text: error.message };
    throw error;
  }
}

function shown({ place, ...server }: StoredMcpServer): UserMcpServer {
  if ("url" in place)
    return {
      ...server,
      url: place.url,
      command: null,
      args: [],
      headerNames: Object.keys(place.headers),
      envNames: [],
    };
  const { command, args, env } = place;
  return { ...server, url: null, command, args, headerNames: [], envNames: Object.keys(env) };
}

function found(server: StoredMcpServer | null): StoredMcpServer {
  if (server === null) throw unknownServer();
  return server;
}

function unknownServer(): RequestError {
  return new RequestError(
    "mcp_server_not_found",
    "There is no such MCP server for this user. `runtime.mcpServers.list()` lists the servers.",
  );
}

const check = inputChecks("An MCP server");
const maxPlace = 20_000;

/** Headers that HTTP reserves for the connection, so a user cannot set them. */
const ofConnection: readonly string[] = ["connection", "content-length", "host", "transfer-encoding", "upgrade"];

/** Returns the checked name. Throws RequestError `input_invalid`. */
function checkedName(name: string): string {
  if (/^[\p{L}\p{N}_-](?:[\p{L}\p{N} _-]{0,62}[\p{L}\p{N}_-])?$/u.test(name)) return name;
  throw check.invalid(
    "name",
    "1 to 64 letters, digits, spaces, _ and -",
    codePointLength(name) > 64 ? describeText(name) : "other characters",
  );
}

const checkedId = check.id;
const checkedJson = check.json;

/** Returns the changed URL or command of a server. `before` is null for a new server. Throws RequestError `input_invalid`. */
export function changedPlace(before: McpServerPlace | null, given: McpServerOptions): McpServerPlace {
  const place =
    given.url === undefined && given.command === undefined ? changedKept(before, given) : moved(before, given);
  const asSetting = "url" in place ? place : { ...place, args: [...place.args] };
  const { form } = settings.mcpServers;
  const [field, text] = "url" in place ? (["url", place.url] as const) : (["command", place.command] as const);
  if (!form(zod).safeParse({ server: asSetting }).success) {
    const expected = field === "url" ? "an http or https URL" : "a command that is not blank";
    throw check.invalid(field, expected, describeText(text));
  }
  const { length } = JSON.stringify(place);
  if (length > maxPlace)
    throw check.invalid(field, `at most ${maxPlace} characters with its headers or variables, as JSON`, `${length}`);
  return place;
}

function changedKept(before: McpServerPlace | null, given: McpServerOptions): McpServerPlace {
  if (before === null) throw check.invalid("url", "given, or `command`", "neither");
  return "url" in before ? overHttp(before, given) : asProgram(before, given);
}

function moved(before: McpServerPlace | null, given: McpServerOptions): McpServerPlace {
  if (given.url !== undefined && given.command !== undefined)
    throw check.invalid("url", "given without `command`", "both");
  if (given.url !== undefined) {
    const headers = before !== null && "url" in before ? before.headers : {};
    return overHttp({ url: given.url, headers }, given);
  }
  const { args, env } = before !== null && "command" in before ? before : { args: [], env: {} };
  return asProgram({ command: given.command!, args, env }, given);
}

function overHttp({ url, headers }: Extract<McpServerPlace, { url: string }>, given: McpServerOptions): McpServerPlace {
  if ((given.args ?? given.env) !== undefined)
    throw check.invalid(given.args === undefined ? "env" : "args", "absent, because the server has a URL", "a value");
  const merged = mergedWith(headers, given.headers ?? {}, (name) => name.toLowerCase());
  for (const [name, value] of Object.entries(merged)) checkHeader(name, value);
  return { url, headers: merged };
}

function asProgram(
  { command, args, env }: Extract<McpServerPlace, { command: string }>,
  given: McpServerOptions,
): McpServerPlace {
  if (given.headers !== undefined) throw check.invalid("headers", "absent, because the server is a program", "a value");
  return { command, args: given.args ?? args, env: mergedWith(env, given.env ?? {}, (name) => name) };
}

/** Returns the headers or variables with a change applied. `keyOf` returns the same text for names that count as equal. */
function mergedWith(
  before: Readonly<Record<string, string>>,
  change: Readonly<Record<string, string | null>>,
  keyOf: (name: string) => string,
): Readonly<Record<string, string>> {
  const merged = new Map(Object.entries(before).map((entry) => [keyOf(entry[0]), entry]));
  for (const [name, value] of Object.entries(change)) {
    if (value === null) merged.delete(keyOf(name));
    else merged.set(keyOf(name), [name, value]);
  }
  return Object.fromEntries(merged.values());
}

function checkHeader(name: string, value: string): void {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/u.test(name) || ofConnection.includes(name.toLowerCase()))
    throw check.invalid("headers", `valid header names other than ${ofConnection.join(", ")}`, "a refused name");
  if (!/^[\t\u0020-\u007E\u0080-\u00FF]*$/u.test(value))
    throw check.invalid(`headers.${name}`, "printable Latin-1 characters and tabs", "a value with other characters");
}
