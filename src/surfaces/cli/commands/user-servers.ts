// `palimpsest mcp-servers`: the MCP servers that a user has added, in contrast to those of the configuration file.
import { type CommandCall, commandTable, type Result } from "../command.ts";
import { recordsText, recordText } from "../format/listing-texts.ts";
import { objectFlag, pairOptions } from "../parse/contract-options.ts";
import { exitCodes } from "../exit-codes.ts";
import { requireYes } from "../print.ts";

const contract = async () => (await import("../../../runtime/contracts.ts")).contracts.mcpServers;

export const commands = commandTable({
  "mcp-servers list": {
    summary: "list your own MCP servers, oldest first",
    flags: ["json"],
    async run(call) {
      const servers = await (await call.runtime()).mcpServers.list();
      return {
        json: servers,
        text: recordsText(servers, ["name", "url", "command", "id"], "You have added no server."),
      };
    },
  },
  "mcp-servers show": {
    usage: "ID",
    summary: "show a server; values of headers and variables stay secret",
    flags: ["json"],
    async run(call, id) {
      const server = await (await call.runtime()).mcpServers.find(id);
      return { json: server, text: recordText(server) };
    },
  },
  "mcp-servers add": {
    usage: "KEY VALUE [KEY VALUE ...]",
    summary: "add an MCP server for your agents, with its tools",
    details:
      'For example: mcp-servers add name docs url https://example.com/mcp headers \'{"authorization":"Bearer …"}\'. To give\n' +
      "a tool to an agent: tools attach.",
    flags: ["json"],
    takes: { min: 2, max: 100 },
    pairs: async () => (await contract()).create.args[0],
    async run(call) {
      const options = pairOptions(call.words, (await contract()).create.args[0]);
      return changed(await (await call.runtime()).mcpServers.create(options));
    },
  },
  "mcp-servers set": {
    usage: "ID KEY VALUE [KEY VALUE ...]",
    summary: "change a server, and refresh its tools",
    details: "Only the given names in headers and env are changed; the value null removes a name.",
    flags: ["json"],
    takes: { min: 3, max: 100 },
    pairs: async () => (await contract()).update.args[1],
    async run(call, id) {
      const change = pairOptions(call.words.slice(1), (await contract()).update.args[1]);
      return changed(await (await call.runtime()).mcpServers.update(id, change));
    },
  },
  "mcp-servers remove": {
    usage: "ID --yes",
    summary: "delete a server with its tools",
    flags: ["yes"],
    async run(call, id) {
      requireYes(call, `the MCP server ${id} with its tools, also those that agents have`);
      await (await call.runtime()).mcpServers.delete(id);
      return { text: `Deleted the MCP server ${id}.` };
    },
  },
  "mcp-servers refresh": {
    usage: "ID",
    summary: "update the stored tools to those of the server",
    flags: ["json"],
    async run(call, id) {
      const refresh = await (await call.runtime()).mcpServers.refresh(id);
      return { json: refresh, text: recordText(refresh) };
    },
  },
  "mcp-servers tools": {
    usage: "ID",
    summary: "list the tools of a server",
    flags: ["json"],
    async run(call, id) {
      const tools = await (await call.runtime()).mcpServers.tools(id);
      return { json: tools, text: recordsText(tools, ["name", "requiresApproval", "description"], "It has no tools.") };
    },
  },
  "mcp-servers run": {
    usage: "ID TOOL",
    summary: "run a tool of a server without an agent",
    details: "--arguments has the arguments of the tool as JSON. The exit code is 1 if the tool fails.",
    flags: ["arguments", "json"],
    async run(call, id, tool) {
      const args = objectFlag(call.line, "arguments") ?? {};
      const result = await (await call.runtime()).mcpServers.run(id, tool, args, call.world.signal);
      return { json: result, text: result.text, exitCode: result.status === "ok" ? exitCodes.done : exitCodes.failed };
    },
  },
});

type Change = Awaited<ReturnType<Awaited<ReturnType<CommandCall["runtime"]>>["mcpServers"]["create"]>>;

function changed({ server, refresh }: Change): Result {
  return { json: { server, refresh }, text: `${recordText(server)}\n\n${recordText(refresh)}` };
}
