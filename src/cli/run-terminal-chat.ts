// The chat that takes over the screen. The only place that loads the terminal interface, and only when it is used.
import type { CommandCall } from "./command.ts";
import { defaultAgent } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { demoNotice } from "./open-agent.ts";
import { notice } from "./print.ts";
import type { Agent } from "./runtime-records.ts";

/** Resolves when the user leaves; prints the command that comes back to the conversation. */
export async function runTerminalChat(call: CommandCall, agent: Agent): Promise<number> {
  const { runChat } = await import("../tui/chat.tsx");
  const demo = demoNotice(agent);
  // In the chat Ctrl+C is a key; this signal is another process asking to leave.
  const { resumeId } = await runChat({
    runtime: await call.runtime(),
    agent,
    version: call.world.version,
    color: call.world.hasColor,
    signal: call.world.signal,
    ...(demo === undefined ? {} : { notice: demo }),
  });
  const name = agent.record.name === defaultAgent ? "" : ` -a ${quoteForShell(agent.record.name)}`;
  notice(call, `come back to this conversation with: palimpsest${name} -r ${resumeId}`);
  return exitCodes.done;
}

function quoteForShell(text: string): string {
  return /^[\w.-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
