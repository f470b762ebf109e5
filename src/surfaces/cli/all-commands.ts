// Exports the tables of all commands except the chat, in the order in which help shows them.
// Invariant: this file is loaded only to run one of these commands or to list them in help. The bundle has all tables
// in one file: with one file per table, the bundler would split shared code, and the chat would load 20 more files.
import type { Command } from "./command.ts";
import { commands as agentSharing } from "./commands/agent-sharing.ts";
import { commands as agents } from "./commands/agents.ts";
import { commands as approvals } from "./commands/approvals.ts";
import { commands as archival } from "./commands/archival.ts";
import { commands as chat } from "./commands/chat.ts";
import { completionCommands } from "./commands/completions.ts";
import { commands as configure } from "./commands/configure.ts";
import { commands as consolidate } from "./commands/consolidate.ts";
import { commands as context } from "./commands/context.ts";
import { commands as conversations } from "./commands/conversations.ts";
import { commands as doctor } from "./commands/doctor.ts";
import { commands as forget } from "./commands/forget.ts";
import { commands as imports } from "./commands/import.ts";
import { commands as keys } from "./commands/keys.ts";
import { commands as mcpServers } from "./commands/mcp-servers.ts";
import { commands as mcp } from "./commands/mcp.ts";
import { commands as memoryCheckout } from "./commands/memory-checkout.ts";
import { commands as memory } from "./commands/memory.ts";
import { commands as modules } from "./commands/modules.ts";
import { commands as recall } from "./commands/recall.ts";
import { commands as reembed } from "./commands/reembed.ts";
import { commands as schedule } from "./commands/schedule.ts";
import { commands as serve } from "./commands/serve.ts";
import { commands as skills } from "./commands/skills.ts";
import { commands as sources } from "./commands/sources.ts";
import { commands as starters } from "./commands/starters.ts";
import { commands as synopsis } from "./commands/synopsis.ts";
import { commands as tools } from "./commands/tools.ts";
import { commands as upkeep } from "./commands/upkeep.ts";
import { commands as userServers } from "./commands/user-servers.ts";
import { commands as records } from "./record-commands.ts";

export const commands: readonly Command[] = [
  ...agents,
  ...agentSharing,
  ...memory,
  ...memoryCheckout,
  ...modules,
  ...recall,
  ...archival,
  ...synopsis,
  ...consolidate,
  ...sources,
  ...tools,
  ...skills,
  ...context,
  ...conversations,
  ...imports,
  ...approvals,
  ...schedule,
  ...forget,
  ...starters,
  ...records,
  ...configure,
  ...doctor,
  ...serve,
  ...keys,
  ...mcp,
  ...mcpServers,
  ...userServers,
  ...upkeep,
  ...reembed,
  ...completionCommands(() => [...chat, ...commands]),
];
