// `palimpsest`, `palimpsest chat` and `palimpsest -p`: talk with an agent.
import { ConfigError } from "../../../base/errors.ts";
import { type CommandCall, commandTable } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { creationFlags, promptFlags, toolFlags } from "../parse/flags.ts";
import { agentToChange, changeNotice, demoNotice, openAgent } from "../open-agent.ts";
import { notice } from "../print.ts";
import { loadTerminal } from "../chat/load-terminal.ts";
import { runTerminalChat } from "../chat/run-terminal-chat.ts";
import { askOnFirstRun, isFirstRun } from "../setup/run-setup.ts";

export const commands = commandTable({
  chat: {
    summary: "open the chat (default)",
    details:
      "In a terminal, the chat takes over the screen. Otherwise, each line of standard input is a message and each reply\n" +
      "is printed. With -p, or with --output-format and a pipe, all of the input is one message and one reply is printed.\n" +
      "With --input-format stream-json, each line is a message or a control request, as JSON.\n" +
      "-r without an ID lists the conversations to choose from.\n" +
      "The first run in a terminal, with neither a key nor a model set, asks which model to use and saves the answer.",
    flags: [
      "prompt",
      "file",
      ...promptFlags,
      "agent",
      "continue",
      "new",
      "resume",
      "wait",
      ...creationFlags,
      ...toolFlags,
    ],
    bare: ["resume"],
    handlesAbort: true,
    async run(call) {
      const { line, world } = call;
      const headless = isHeadless(call);
      if (line.bare.has("resume") && (headless || !world.isTerminal))
        throw new ConfigError(
          "--resume without an ID needs a terminal to choose a conversation. `palimpsest conversations list` shows the IDs.",
        );
      if (headless) {
        const { runPrompt } = await import("../headless/run-prompt.ts");
        return runPrompt(call);
      }
      const asked = (await isFirstRun(call)) ? await askOnFirstRun(call) : call;
      return asked === null ? exitCodes.interrupted : converse(asked, call);
    },
  },
});

/** Runs the chat. `typed`: the call as typed, without the model of a first run, because that choice needs no notice. */
async function converse(call: CommandCall, typed: CommandCall): Promise<number> {
  const terminal = call.world.isTerminal ? loadTerminal() : null;
  const former = await agentToChange(typed);
  const agent = await openAgent(call, { otherwise: "last" });
  const change = changeNotice(agent, former, call.world.command);
  if (terminal !== null) return runTerminalChat(call, agent, { terminal, change });
  for (const line of [change, demoNotice(agent, call.world.command)]) if (line !== undefined) notice(call, line);
  const { runPlainChat } = await import("../chat/run-plain-chat.ts");
  return runPlainChat(call, agent);
}

function isHeadless({ line, world }: CommandCall): boolean {
  if (line.texts.prompt !== undefined) return true;
  const given = promptFlags.find((name) => line.given.has(name));
  if (given === undefined) return false;
  if (world.isTerminal)
    throw new ConfigError(`--${given} needs -p TEXT or a message piped in; it has no effect in the chat.`);
  return true;
}
