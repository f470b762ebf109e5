// `/server:prompt ARGUMENTS`: sends a prompt of an MCP server to the agent, as a file.
// Invariant: the text of the server is a file of the message, so it is external in trust; nothing is sent without all arguments.
import { readPairs } from "../input/read-pairs.ts";
import { type CommandContext, type CommandOutcome, refusalOutcome } from "./command.ts";

/** Null if no server has the name before the colon, or no prompt the one after it. */
export async function runServerPrompt(name: string, context: CommandContext): Promise<CommandOutcome | null> {
  const colon = name.indexOf(":");
  const servers = await context.runtime.mcp.servers();
  const server = servers.find((one) => one.name.toLowerCase() === name.slice(0, colon));
  const prompt = server?.prompts.find((one) => one.name.toLowerCase() === name.slice(colon + 1));
  if (server === undefined || prompt === undefined) return null;
  const args = argumentsIn(context.argument, prompt.arguments);
  if (args === null) {
    const form = prompt.arguments.map((one) => (one.isRequired ? `${one.name}=…` : `[${one.name}=…]`)).join(" ");
    return refusalOutcome("Expected the arguments as NAME=VALUE, with quotes around spaces.", `/${name} ${form}`);
  }
  const files = await context.runtime.mcp.readPrompt(server.name, prompt.name, args);
  const queued = files.map((input) => ({ input, label: `${server.name}:${prompt.name}` }));
  const text = `Follow the prompt "${prompt.name}" of the MCP server ${server.name}, which is attached.`;
  return { items: [], effect: { type: "send", text, files: queued } };
}

type Parameters = readonly { readonly name: string }[];

/** The arguments by name; a text without `=` is the value of the only one. */
function argumentsIn(typed: string, parameters: Parameters): Readonly<Record<string, string>> | null {
  const [only, ...others] = parameters;
  const pairs = readPairs(typed);
  if (pairs !== null) return pairs;
  return only !== undefined && others.length === 0 ? { [only.name]: typed } : null;
}
