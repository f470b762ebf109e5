// A real MCP server over streamable HTTP, by the protocol's SDK, whose tools a test changes.
import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import * as z from "zod";

export interface HttpMcpServer {
  readonly url: string;
  /** What the tools were called with. */
  readonly calls: string[];
  /** The requests, as `POST Bearer token`. */
  readonly seen: string[];
  /** The sessions that have not been ended. */
  openSessions(): number;
  /** The tools by name, with their descriptions. */
  tools: Record<string, string>;
  /** Requests that are not answered. */
  isSilent: boolean;
  /** The calls of tools are not answered. */
  isSlow: boolean;
  /** Forgets all sessions; requests in one of them get this status. */
  forget(status: number): void;
  /** Answers the calls with the word `wait`. */
  release(): void;
  /** Where every request is redirected to. */
  redirect: string | null;
  close(): Promise<void>;
}

const dot = {
  type: "image" as const,
  mimeType: "image/png",
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
};

/** `token`: the only one that it accepts. */
export async function startHttpMcpServer(token = "good"): Promise<HttpMcpServer> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const held = new EventEmitter();
  let lost = 404;
  const http = createServer((request, response) => void answer(request, response)).listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as { readonly port: number };
  const scene: HttpMcpServer = {
    url: `http://127.0.0.1:${port}/mcp`,
    calls: [],
    seen: [],
    openSessions: () => sessions.size,
    tools: { echo: "Repeats a word.", add: "Adds nothing." },
    isSilent: false,
    isSlow: false,
    redirect: null,
    forget(status) {
      sessions.clear();
      lost = status;
    },
    release: () => void held.emit("release"),
    async close() {
      http.closeAllConnections();
      http.close();
    },
  };

  async function newSession(): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    const server = new McpServer({ name: "words", version: "1" });
    for (const [name, description] of Object.entries(scene.tools))
      server.registerTool(name, { description, inputSchema: { word: z.string() } }, async ({ word }) => {
        scene.calls.push(`${name} ${word}`);
        if (scene.isSlow || word === "never") await new Promise(() => undefined);
        if (word === "wait") await once(held, "release");
        if (word === "fail") return { content: [{ type: "text", text: "no such word" }], isError: true };
        const text = { type: "text" as const, text: `${name}: ${word}` };
        return { content: word === "picture" ? [text, dot] : [text] };
      });
    await server.connect(transport as Parameters<typeof server.connect>[0]);
    return transport;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    scene.seen.push(`${request.method} ${request.headers.authorization ?? ""}`);
    if (scene.isSilent) return;
    if (scene.redirect !== null) {
      response.writeHead(307, { location: scene.redirect }).end();
      return;
    }
    if (request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401).end("who are you?");
      return;
    }
    const session = sessions.get(String(request.headers["mcp-session-id"]));
    if (session === undefined && request.headers["mcp-session-id"] !== undefined) {
      response.writeHead(lost).end("no such session");
      return;
    }
    await (session ?? (await newSession())).handleRequest(request, response);
  }
  return scene;
}
