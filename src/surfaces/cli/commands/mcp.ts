// `palimpsest mcp`.
import { surfaceText } from "../../surface-words.ts";
import type { Trust } from "../../../base/message/message.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
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
  flags: [
    "agent",
    "trust",
    "env-file",
    "persona",
    "human",
    "memory",
    "core-memory-limit",
    "model",
    "base-url",
    ...storeFlags,
  ],
  takes: { min: 0, max: 0 },
  handlesAbort: true,
  async run(call) {
    const { world, line, agent } = call;
    const trust = choiceFlag(line, "trust", classes) ?? "external";
    const runtime = openMemory(call);
    // Loaded here, in the time that the store takes to open: no other command needs the server.
    await Promise.race([call.opening, runtime]);
    const { serveMemory } = await import("../../mcp/serve-memory.ts");
    const failure = new AbortController();
    // A turn of the event loop later: calls that wait for the store are answered with the reason.
    runtime.catch(() => setImmediate(() => failure.abort()));
    await serveMemory({
      runtime,
      agent,
      trust,
      client: "an MCP client",
      timeZone: line.texts["time-zone"] ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
      version: world.version,
      words: (text) => surfaceText(text, "command-line", world.command),
      stdin: world.stdin,
      stdout: world.stdout,
      signal: AbortSignal.any([world.signal, failure.signal]),
      onError: (error) => world.stderr.write(`palimpsest: ${world.hide(error.message)}\n`),
    });
    // Its failure ended the server.
    await runtime;
    return 0;
  },
};

/** Opens the store, and creates the agent on first use, as the chat does. */
async function openMemory(call: CommandCall): Promise<Runtime> {
  const runtime = await call.runtime();
  const known = await runtime.agents.list();
  if (!known.some(({ name }) => name === call.agent)) await openAgent(call, { otherwise: "last" });
  return runtime;
}
