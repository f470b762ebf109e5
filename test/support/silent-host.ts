// The host of a chat that can do nothing: each function says so, or returns nothing.
import type { ChatHost } from "../../src/surfaces/terminal/chat-host.ts";

export const silentHost: ChatHost = {
  suspend: async () => undefined,
  edit: async () => ({ type: "failed", reason: "none" }),
  inputs: [],
  keepInput: async () => null,
  listModels: async () => ({ offers: [], notes: [] }),
  keepMcpTrust: async () => "/data/config.json",
  openAddress: async () => false,
  readClipboardImage: async () => ({ type: "none", reason: "No clipboard." }),
  listFolder: async () => [],
  listPaths: async () => [],
  watchLog: () => undefined,
  listCommands: async () => [],
  findFile: async () => null,
};
