// `/mcp`: lists the MCP servers with their tools; `/mcp free TOOL` and `/mcp ask TOOL` change which calls wait for approval;
// `/mcp login NAME` and `/mcp logout NAME` sign in and out.
// Invariant: a tool is trusted only with its current definition; after a change of the definition, calls wait again.
import { surfaceText } from "../../surface-words.ts";
import type { Dialog, DialogStep } from "../dialogs/dialog.ts";
import { fieldDialog } from "../dialogs/field.ts";
import { resourceWord } from "../input/list-offers.ts";
import { countLabel } from "../rows/labels.ts";
import { type Span, span } from "../rows/row.ts";
import { truncateRow, wrapText } from "../rows/wrap.ts";
import type { McpServer, McpTool, Runtime } from "../runtime-records.ts";
import { notice, panel } from "../view/notices.ts";
import type { Paragraph } from "../view/view-item.ts";
import {
  command,
  type CommandContext,
  type CommandOutcome,
  noteOutcome,
  readPairs,
  refusalOutcome,
  unknownName,
} from "./command.ts";

const usage = "/mcp free files__read_file";

export const mcpCommand = command({
  usage: "/mcp [free | ask TOOL, login NAME]",
  summary: "show MCP servers, sign in, or change which calls wait",
  manual:
    "lists the MCP servers and their tools; `free` runs a tool without approval while its definition stays as it is; `login` signs in to a server, `logout` forgets the sign-in",
  async run(context) {
    const { argument, program } = context;
    const [verb = "", name = "", ...more] = argument.split(/\s+/u);
    if (argument === "") return listServers(await context.runtime.mcp.servers(), program);
    const act = Object.hasOwn(verbs, verb) && name !== "" && more.length === 0 ? verbs[verb] : undefined;
    if (act !== undefined) return act(context, name);
    return refusalOutcome("Expected free or ask with a tool, or login or logout with a server.", usage);
  },
});

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
  if (tool !== undefined) return act(context, tool);
  const names = tools.map((one) => one.name);
  return unknownName("No MCP server has a tool", name, { names, advice: "/mcp lists the tools." });
}

async function free({ runtime, keepMcpTrust }: CommandContext, { name, approval }: McpTool): Promise<CommandOutcome> {
  if (approval === "trusted") return noteOutcome(`Already set: calls of ${name} are run at once.`);
  const { server, toolName, hash, definition } = await runtime.mcp.trust(name);
  const kept = (await keepMcpTrust?.(server, toolName, { hash, definition })) ?? null;
  return noteOutcome(
    `From now on, calls of ${name} are run at once, as long as its definition stays as it is; ${keptText(kept)}`,
    `/mcp ask ${name} makes them wait again.`,
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
  const count = `Calls of ${asked.length} of ${countLabel(tools.length, "tool")} wait for your approval.`;
  const advice = first === undefined ? undefined : `/mcp free ${first} runs its calls at once.`;
  return {
    items: [panel(servers.flatMap((server) => serverParagraphs(server, program))), notice("note", count, advice)],
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

const states = { asks: "  waits", trusted: "", changed: "  has changed since it was trusted, and waits" } as const;

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

/** `/mcp login NAME`: signs the user in to an MCP server. Waits for the end of the sign-in, and cancels it if interrupted. */
export async function login(
  { runtime, open, openAddress, signal }: CommandContext,
  server: string,
): Promise<CommandOutcome> {
  const signIn = await runtime.mcp.signIn(server);
  const { address, ended, cancel } = signIn;
  try {
    const isOpened = (await openAddress?.(address)) ?? false;
    const over = new AbortController();
    const isSignedIn = ended.then(() => true);
    const close = (): void => over.abort();
    isSignedIn.then(close, close);
    const typed = await open(signInDialog(server, signIn, isOpened), over.signal);
    signal.throwIfAborted();
    if (typed === null && !over.signal.aborted) return noteOutcome("The sign-in was cancelled.");
    await isSignedIn;
    return noteOutcome(`You are signed in to ${server}.`, "/mcp shows its tools.");
  } finally {
    cancel();
  }
}

export async function logout({ runtime }: CommandContext, server: string): Promise<CommandOutcome> {
  const wasSignedIn = await runtime.mcp.signOut(server);
  return noteOutcome(wasSignedIn ? `You are signed out of ${server}.` : `You were not signed in to ${server}.`);
}

/**
 * Runs `/server:prompt`: returns the outcome that sends the server's text as a file of a message, with the trust class
 * `external`. Returns a refusal if arguments are malformed, and null if there is no server or prompt of that name.
 */
export async function runServerPrompt(name: string, context: CommandContext): Promise<CommandOutcome | null> {
  const colon = name.indexOf(":");
  const servers = await context.runtime.mcp.servers();
  const server = servers.find((one) => one.name.toLowerCase() === name.slice(0, colon));
  const prompt = server?.prompts.find((one) => one.name.toLowerCase() === name.slice(colon + 1));
  if (server === undefined || prompt === undefined) return null;
  const args = argumentsIn(context.argument, prompt.arguments);
  if (args === null) {
    const form = prompt.arguments.map((one) => (one.isRequired ? `${one.name}=…` : `[${one.name}=…]`)).join(" ");
    return refusalOutcome(
      'Expected the arguments as NAME=VALUE. A value with spaces needs double quotes: NAME="two words".',
      `/${name} ${form}`,
    );
  }
  const files = await context.runtime.mcp.readPrompt(server.name, prompt.name, args);
  const queued = files.map((input) => ({ input, label: `${server.name}:${prompt.name}` }));
  const text = `Follow the prompt "${prompt.name}" of the MCP server ${server.name}, which is attached.`;
  return { items: [], effect: { type: "send", text, files: queued } };
}

type Parameters = readonly { readonly name: string }[];

/** Returns the arguments by name; a text without `=` is the value of the only parameter. Returns null for a malformed text. */
function argumentsIn(typed: string, parameters: Parameters): Readonly<Record<string, string>> | null {
  const [only, ...others] = parameters;
  const pairs = readPairs(typed);
  if (pairs !== null) return pairs;
  return only !== undefined && others.length === 0 ? { [only.name]: typed } : null;
}

type SignIn = Awaited<ReturnType<Runtime["mcp"]["signIn"]>>;

/** Maximum length of one paste, in UTF-16 units. */
const maxLength = 8000;

/**
 * Returns the dialog of a sign-in. The dialog ends with true after a pasted address has signed the user in, and with
 * null when the user closes it. The address to open is shown in full, on several rows if needed.
 */
function signInDialog(server: string, { address, finish }: SignIn, isOpened: boolean): Dialog<true> {
  const lead = isOpened ? "Sign in on the opened browser page:" : "Open this in your browser to sign in:";
  const below = "If the browser cannot reach this machine, paste the URL from its address bar.";
  const finished = async (pasted: string): Promise<DialogStep<true>> => {
    await finish(pasted);
    return { type: "close", result: true };
  };
  return fieldDialog({
    hints: ["Enter takes a pasted address", "Esc cancel"],
    rows: (width) => [
      truncateRow([span(`${server}. ${lead}`, "strong")], width),
      ...wrapText(address, "accent", { width }),
      truncateRow([span(below, "faint")], width),
    ],
    // Whitespace is removed, because another program may have wrapped the copied address.
    cleaned: (text) => text.replaceAll(/\s+/gu, "").slice(0, maxLength),
    accept: (line) => (line === "" ? null : { type: "work", activity: "signing in", run: () => finished(line) }),
    leave: () => ({ type: "close", result: null }),
  });
}
