// The topics of the command line, in the order in which help shows them, and their commands.
// Invariant: importing this file loads only the chat: loading code takes most of the time before the first frame.
import type { Command } from "./command.ts";
import { commands as chatCommands } from "./commands/chat.ts";

interface Group {
  /** The first words of the group's commands. */
  readonly topics: readonly string[];
  /** The line of help about the group. */
  readonly about: string;
}

export const groups: readonly Group[] = [
  { topics: ["chat"], about: "talk with an agent (default)" },
  { topics: ["agents"], about: "agents and sharing" },
  { topics: ["memory"], about: "core memory: always in the prompt" },
  { topics: ["modules"], about: "core memory to share" },
  { topics: ["recall", "archival"], about: "all messages; passages that the agent saved" },
  { topics: ["synopsis", "compactions"], about: "summary of the archive; summaries in a window, undoing them" },
  { topics: ["consolidate"], about: "let a model tidy memory, with a review and an undo" },
  { topics: ["load", "attach", "detach", "sources"], about: "files that agents can search" },
  { topics: ["tools", "skills"], about: "stored tools; how to do certain tasks" },
  { topics: ["context"], about: "the content of the window, and the plan for a query" },
  { topics: ["conversations"], about: "threads with an agent" },
  { topics: ["import"], about: "conversations and memories of other programs" },
  { topics: ["approvals", "turns"], about: "tool calls that wait for your approval; what turns did" },
  { topics: ["schedule"], about: "messages that are sent to an agent at set times" },
  { topics: ["forget", "retention", "node-memory"], about: "removal of content everywhere; deletion of old data" },
  { topics: ["personas", "humans", "identities"], about: "starter texts; whom agents talk to" },
  { topics: ["serve", "keys", "users", "inspect"], about: "a server, its page, keys; show, delete a user" },
  { topics: ["mcp"], about: "memory for other programs, and tools of servers" },
  { topics: ["mcp-servers"], about: "servers that you have added yourself" },
  {
    topics: [
      "configure",
      "models",
      "config",
      "doctor",
      "eval",
      "optimize",
      "reembed",
      "backup",
      "restore",
      "completions",
    ],
    about: "set up; check; back up",
  },
];

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
