// Finds the commands of the command line by topic.
// Invariant: importing this file loads only the chat: loading code takes most of the time before the first frame.
import type { Command } from "./command.ts";
import { commands as chatCommands } from "./commands/chat.ts";
import { groups } from "./topics.ts";

/** Returns the commands of a topic; none for an unknown one. */
export async function commandsAbout(topic: string): Promise<readonly Command[]> {
  if (topic === "chat") return chatCommands;
  if (!groups.some(({ topics }) => topics.includes(topic))) return [];
  return (await allCommands()).filter(({ words }) => words[0] === topic);
}

/** Returns all commands, in the order of their tables. */
export async function allCommands(): Promise<readonly Command[]> {
  return [...chatCommands, ...(await import("./all-commands.ts")).commands];
}
