// The terminal chat. Only this file loads the terminal interface, and only when it is used.
import { createChatHost } from "./chat-host.ts";
import { forgetWithInputs } from "./forget-with-inputs.ts";
import type { CommandCall } from "../command.ts";
import { defaultAgent } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { demoNotice } from "../open-agent.ts";
import { fileLabel } from "../../../base/message/file-part.ts";
import { createTextFile } from "../new-file.ts";
import { notice } from "../print.ts";
import { readTextFile } from "../parse/read-text.ts";
import { filesOf } from "../headless/run-prompt.ts";
import type { Agent } from "../runtime-records.ts";
import { settingsOf } from "../parse/setting-flags.ts";

/** Loads the terminal interface in parallel with opening the agent, since both take about the same time. */
export function loadTerminal() {
  const loading = import("../../terminal/chat.ts");
  // The awaiting code gets a rejection; until then, it must not count as unhandled.
  loading.catch(() => undefined);
  return loading;
}

/** Resolves when the user leaves; prints the command that resumes the conversation. */
export async function runTerminalChat(
  call: CommandCall,
  agent: Agent,
  terminal: ReturnType<typeof loadTerminal>,
): Promise<number> {
  const {
    model: configured,
    theme,
    bell,
    terminalTitle,
    shellCommands,
    dataDir,
  } = await call.world.settings(settingsOf(call.line));
  const { runChat } = await terminal;
  const demo = demoNotice(agent, call.world.command, configured);
  // In the chat Ctrl+C is a key; this signal is another process asking to leave.
  const runtime = await call.runtime();
  const files = [];
  // Checked here, so that a wrong path is reported before the chat takes over the screen.
  for (const input of filesOf(call)) files.push({ input, label: fileLabel(await runtime.files.describe(input)) });
  const { resumeId } = await runChat({
    runtime: { ...runtime, forget: forgetWithInputs(runtime, dataDir) },
    files,
    agent,
    host: await createChatHost(call, { dataDir, hasShell: shellCommands === "on" }),
    version: call.world.version,
    command: call.world.command,
    color: call.world.hasColor,
    ...(call.world.hasClipboard ? { writeClipboard: (sequence) => void call.world.stdout.write(sequence) } : {}),
    textFiles: { read: (file) => readTextFile(file, "/import"), create: createTextFile },
    theme,
    hasBell: bell === "on",
    hasTitle: terminalTitle === "on",
    colorFgBg: call.world.colorFgBg,
    signal: call.world.signal,
    ...(demo === undefined ? {} : { notice: demo }),
    ...(call.line.bare.has("resume") ? { firstInput: "/resume" } : {}),
  });
  const name = agent.record.name === defaultAgent ? "" : ` -a ${quoteForShell(agent.record.name)}`;
  notice(call, `continue with: ${call.world.command}${name} -r ${resumeId}`);
  return exitCodes.done;
}

function quoteForShell(text: string): string {
  return /^[\w.-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
