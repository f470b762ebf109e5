// `/exit`: leaves the chat. Everything is saved already.
import type { Command } from "./command.ts";

export const exitCommand: Command = {
  name: "exit",
  usage: "/exit",
  summary: "leave; the conversation can be resumed",
  isAlwaysReady: true,
  run: async () => ({ items: [], effect: { type: "leave" } }),
};
