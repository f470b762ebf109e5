// The chat that takes over the screen. The only place that loads the terminal interface, and only when it is used.
import type { CommandCall } from "./command.ts";
import { defaultAgent } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { demoNotice } from "./open-agent.ts";
import { fileLabel } from "../file-part.ts";
import { notice } from "./print.ts";
import { filesOf } from "./run-prompt.ts";
import type { Agent } from "./runtime-records.ts";

/** Loads the terminal interface, which takes as long as opening an agent does: both go on side by side. */
export function loadTerminal() {
  const loading = import("../tui/chat.tsx");
  // Who awaits it is told; until then somebody may leave, or the agent fail to open.
  loading.catch(() => undefined);
  return loading;
}

/** Resolves when the user leaves; prints the command that comes back to the conversation. */
export async function runTerminalChat(
  call: CommandCall,
  agent: Agent,
  terminal: ReturnType<typeof loadTerminal>,
): Promise<number> {
  const { runChat } = await terminal;
  const demo = demoNotice(agent);
  // In the chat Ctrl+C is a key; this signal is another process asking to leave.
  const runtime = await call.runtime();
  const files = [];
  // Here, so that a wrong path is told before the chat takes over the screen.
  for (const input of filesOf(call)) files.push({ input, label: fileLabel(await runtime.files.describe(input)) });
  const { resumeId } = await runChat({
    runtime,
    files,
    agent,
    version: call.world.version,
    color: call.world.hasColor,
    colorFgBg: call.world.colorFgBg,
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
