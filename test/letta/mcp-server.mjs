// An MCP server over streamable HTTP, by the protocol's SDK, for the tests by Letta's clients: node mcp-server.mjs PORT
// Its one tool repeats a word; it accepts the token `good` alone.
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import * as z from "zod";

async function answer(request, response) {
  if (request.headers.authorization !== "Bearer good") {
    response.writeHead(401).end();
    return;
  }
  const server = new McpServer({ name: "words", version: "1" });
  server.registerTool(
    "echo",
    { description: "Repeats a word.", inputSchema: { word: z.string() } },
    async ({ word }) => ({ content: [{ type: "text", text: `echo: ${word}` }] }),
  );
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  await server.connect(transport);
  await transport.handleRequest(request, response);
}

createServer((request, response) => void answer(request, response)).listen(Number(process.argv[2]), "127.0.0.1");
