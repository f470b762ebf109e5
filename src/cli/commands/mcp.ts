// `palimpsest mcp`.
import { surfaceText } from "../../surface-words.ts";
import type { Trust } from "../../message/message.ts";
import type { Command, CommandCall } from "../command.ts";
import { openAgent } from "../open-agent.ts";
import { choiceFlag } from "../parse/choice-flag.ts";
import { storeFlags } from "../parse/flags.ts";

const classes: readonly Trust[] = ["user", "model", "external"];

export const mcpCommand: Command = {
  words: ["mcp"],
  usage: "",
  summary: "serve memory to other programs over MCP, by stdin and stdout",
  details:
    "The other program starts this one: `palimpsest mcp install` shows its configuration. Any number of programs can use\n" +
    "the same memory at once, and so can the chat. What they write names them, and has the trust of --trust.",
  flags: ["agent", "trust", "persona", "human", "memory", "core-memory-limit", "model", "base-url", ...storeFlags],
  takes: { min: 0, max: 0 },
  handlesAbort: true,
  async run(call) {
    const { world, line, agent } = call;
    // Loaded here: no other command needs the server, and the store is opened at the same time.
    const [runtime, { serveMemory }] = await Promise.all([call.runtime(), import("../../mcp/serve-memory.ts")]);
    await ensureAgent(call);
    const ended = serveMemory({
      runtime,
      agent,
      trust: choiceFlag(line, "trust", classes) ?? "external",
      client: "an MCP client",
      timeZone: line.texts["time-zone"] ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
      version: world.version,
      words: (text) => surfaceText(text, "command-line", world.command),
      stdin: world.stdin,
      stdout: world.stdout,
      signal: world.signal,
      onError: (error) => world.stderr.write(`palimpsest: ${world.hide(error.message)}\n`),
    });
    await ended;
    return 0;
  },
};

/** Creates the agent on first use, as the chat does. */
async function ensureAgent(call: CommandCall): Promise<void> {
  const runtime = await call.runtime();
  const known = await runtime.agents.list();
  if (known.some(({ name }) => name === call.agent)) return;
  await openAgent(call, { otherwise: "last" });
}
