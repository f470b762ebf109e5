// A process of the mcp benchmark. `server`: the smallest server of the SDK with one tool. `engine FOLDER`: starts the embedded engine
// on a database, asks it one question, and prints the milliseconds that both took.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createDatabase } from "../src/store/embedded/open-database.ts";

const [kind, folder] = process.argv.slice(2);
if (kind === "server") {
  serveStdio(() => {
    const server = new McpServer({ name: "bare", version: "1.0.0" });
    server.registerTool("list_agents", { description: "Lists nothing." }, () => ({
      content: [{ type: "text", text: "none" }],
    }));
    return server;
  });
} else {
  const began = performance.now();
  const database = await createDatabase(folder);
  await database.query("select 1");
  process.stdout.write(`${performance.now() - began}\n`);
  await database.close();
}
