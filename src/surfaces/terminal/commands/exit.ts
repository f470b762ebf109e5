// `/exit`: leaves the chat. Everything is already saved.
import type { Command } from "./command.ts";

export const exitCommand: Command = {
  name: "exit",
  usage: "/exit",
  summary: "leave; you can resume the conversation later",
  manual: "leaves",
  isAlwaysReady: true,
  run: async () => ({ items: [], effect: { type: "leave" } }),
};
