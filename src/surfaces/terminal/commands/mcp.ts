// `/mcp`: lists the MCP servers with their tools; `/mcp free TOOL` and `/mcp ask TOOL` change which calls wait for approval;
// `/mcp login NAME` and `/mcp logout NAME` sign in and out.
// Invariant: a tool is freed only in the definition that it has now.
import { nearestName } from "../../../base/nearest-name.ts";
import { surfaceText } from "../../surface-words.ts";
import { resourceWord } from "../input/list-offers.ts";
import { countLabel } from "../rows/labels.ts";
import { type Span, span } from "../rows/row.ts";
import type { McpServer, McpTool } from "../runtime-records.ts";
import type { Paragraph } from "../view/view-item.ts";
import { login, logout } from "./mcp-sign-in.ts";
import { type Command, type CommandContext, type CommandOutcome, noteOutcome, refusalOutcome } from "./command.ts";

const usage = "/mcp free files__read_file";

export const mcpCommand: Command = {
  name: "mcp",
  usage: "/mcp [free | ask TOOL, login NAME]",
  summary: "show MCP servers, sign in, or change which calls wait",
  manual:
    "lists the MCP servers and their tools; `free` runs a tool without approval while its definition stays as it is; `login` signs in to a server, `logout` forgets that",
  isAlwaysReady: false,
  async run(context) {
    const { argument, program } = context;
    const [verb = "", name = "", ...more] = argument.split(/\s+/u);
    if (argument === "") return listServers(await context.runtime.mcp.servers(), program);
    const act = Object.hasOwn(verbs, verb) && name !== "" && more.length === 0 ? verbs[verb] : undefined;
    if (act !== undefined) return act(context, name);
    return refusalOutcome("Expected free or ask and one tool, or login or logout and one server.", usage);
  },
};

const verbs: Readonly<Record<string, (context: CommandContext, name: string) => Promise<CommandOutcome>>> = {
  login,
  logout,
  free: (context, name) => withTool(context, name, free),
  ask: (context, name) => withTool(context, name, ask),
};

async function withTool(
  context: CommandContext,
  name: string,
  act: (context: CommandContext, tool: McpTool) => Promise<CommandOutcome>,
): Promise<CommandOutcome> {
  const servers = await context.runtime.mcp.servers();
  const tools = servers.flatMap((server) => server.tools);
  const tool = tools.find((one) => one.name === name);
  return tool === undefined ? unknownTool(name, tools) : act(context, tool);
}

async function free({ runtime, keepMcpTrust }: CommandContext, { name, approval }: McpTool): Promise<CommandOutcome> {
  if (approval === "trusted") return noteOutcome(`Already set: calls of ${name} are run at once.`);
  const { server, toolName, hash, definition } = await runtime.mcp.trust(name);
  const kept = (await keepMcpTrust?.(server, toolName, { hash, definition })) ?? null;
  return noteOutcome(
    `From now on, calls of ${name} are run at once, as long as its definition stays as it is; ${keptText(kept)}`,
    `/mcp ask ${name} has them wait again.`,
  );
}

async function ask({ runtime, keepMcpTrust }: CommandContext, { name, approval }: McpTool): Promise<CommandOutcome> {
  if (approval === "asks") return noteOutcome(`Already set: calls of ${name} wait for your approval.`);
  const { server, toolName } = await runtime.mcp.distrust(name);
  const kept = (await keepMcpTrust?.(server, toolName, null)) ?? null;
  return noteOutcome(`From now on, calls of ${name} wait for your approval; ${keptText(kept)}`);
}

function keptText(file: string | null): string {
  return file === null ? "until you leave." : `this is kept in ${file}.`;
}

function listServers(servers: readonly McpServer[], program: string): CommandOutcome {
  if (servers.length === 0)
    return noteOutcome("No MCP server is configured.", `${program} mcp add NAME -- COMMAND adds one.`);
  const tools = servers.flatMap((server) => server.tools);
  const asked = tools.filter(({ approval }) => approval !== "trusted");
  const first = asked[0]?.name;
  return {
    items: [
      { kind: "panel", paragraphs: servers.flatMap((server) => serverParagraphs(server, program)) },
      ...noteOutcome(
        `${countLabel(tools.length, "tool")}, of which ${asked.length} wait for your approval.`,
        ...(first === undefined ? [] : [`/mcp free ${first} runs its calls at once.`]),
      ).items,
    ],
  };
}

function serverParagraphs(
  { name, state, problem, notes, tools, resources, prompts }: McpServer,
  program: string,
): readonly Paragraph[] {
  const shown = `  ${state.replaceAll("-", " ")}`;
  return [
    { indent: 2, spans: [span(name, "strong"), span(shown, state === "connected" ? "faint" : "failure")] },
    ...(problem === null ? [] : [{ indent: 4, spans: [span(surfaceText(problem, "chat", program), "failure")] }]),
    ...notes.map((note): Paragraph => ({ indent: 4, spans: [span(note, "warning")] })),
    ...tools.flatMap(toolParagraphs),
    ...resources.map((one) => offer(`@${name}:${resourceWord(one)}`, one.description)),
    ...prompts.map((one) => offer(`/${name}:${one.name}`, one.description)),
  ];
}

function offer(typed: string, description: string | null): Paragraph {
  return {
    indent: 4,
    spans: [span(typed, "plain"), span(`  ${(description ?? "").replaceAll(/\s+/gu, " ")}`, "faint")],
  };
}

const states = { asks: "  waits", trusted: "", changed: "  has changed since it was freed, and waits" } as const;

function toolParagraphs({ name, description, approval, change }: McpTool): readonly Paragraph[] {
  const about = description.replaceAll(/\s+/gu, " ");
  return [
    { indent: 4, spans: [span(name, "plain"), span(states[approval], "warning"), span(`  ${about}`, "faint")] },
    ...(change ?? "")
      .split("\n")
      .filter((line) => line !== "")
      .map((line): Paragraph => ({ indent: 6, spans: [changeSpan(line)] })),
  ];
}

function changeSpan(line: string): Span {
  return span(line, line.startsWith("+") ? "added" : "removed");
}

function unknownTool(typed: string, tools: readonly McpTool[]): CommandOutcome {
  const near = nearestName(
    typed,
    tools.map(({ name }) => name),
  );
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  return refusalOutcome(`No MCP server has a tool "${typed.slice(0, 60)}".${hint}`, "/mcp lists them.");
}
