// The official MCP clients, of both lines of the SDK, with the built program as their server.
import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { packageRoot } from "../../src/base/package-root.ts";
import type { TestDatabase } from "./database.ts";

export const program = path.join(packageRoot(), "dist", "program", "palimpsest.js");

/** The arguments and the environment of a program that serves memory of this database. */
export function memoryServer({ connection }: TestDatabase, home: string, flags: readonly string[] = []) {
  const place =
    connection.kind === "embedded" ? ["--data-dir", connection.folder] : ["--database-url", connection.url as string];
  const args = [program, "mcp", "--embedding", "none", ...place, ...flags];
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, NODE_OPTIONS: process.env["NODE_OPTIONS"] ?? "" };
  return { command: process.execPath, args, env, stderr: "ignore" as const };
}

export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>> | undefined;
}

/** What the tests use of a client. */
export interface McpClient {
  tools(): Promise<readonly string[]>;
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolAnswer>;
  read(uri: string): Promise<string>;
  resources(): Promise<readonly string[]>;
  prompt(name: string): Promise<string>;
  readonly pid: number;
  close(): Promise<void>;
}

/** The lines of the SDK; the second also in its own protocol of 2026. */
export const lines = ["1.x", "2.x", "2.x with the protocol of 2026"] as const;

type Server = ReturnType<typeof memoryServer>;
type AnyClient = Pick<Client, "listTools" | "callTool" | "readResource" | "listResources" | "getPrompt" | "close">;

export async function connectClient(line: (typeof lines)[number], server: Server): Promise<McpClient> {
  const info = { name: `client ${line}`, version: "1.0.0" };
  if (line === "1.x") {
    const client = new FirstClient(info);
    const transport = new FirstTransport(server);
    await client.connect(transport);
    return faceOf(client as unknown as AnyClient, () => transport.pid);
  }
  const client = new Client(info, line === "2.x" ? {} : { versionNegotiation: { mode: "auto" } });
  const transport = new StdioClientTransport(server);
  await client.connect(transport);
  return faceOf(client, () => transport.pid);
}

function faceOf(client: AnyClient, pid: () => number | null): McpClient {
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, args) {
      const answer = await client.callTool({ name, arguments: { ...args } });
      const [first] = answer.content as readonly { readonly type: string; readonly text?: string }[];
      return {
        isError: answer.isError === true,
        text: first?.text ?? "",
        data: answer.structuredContent as ToolAnswer["data"],
      };
    },
    async read(uri) {
      const [content] = (await client.readResource({ uri })).contents;
      return content !== undefined && "text" in content ? (content.text as string) : "";
    },
    resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    async prompt(name) {
      const [message] = (await client.getPrompt({ name })).messages;
      return message?.content.type === "text" ? message.content.text : "";
    },
    get pid() {
      return pid() ?? 0;
    },
    close: () => client.close(),
  };
}
