// All commands, in the order in which help shows them.
import type { Command } from "./command.ts";
import { agentsAccept } from "./commands/agents-accept.ts";
import { agentsAdd } from "./commands/agents-add.ts";
import { agentsDecline } from "./commands/agents-decline.ts";
import { agentsExport } from "./commands/agents-export.ts";
import { agentsImport } from "./commands/agents-import.ts";
import { agentsLeave } from "./commands/agents-leave.ts";
import { agentsList } from "./commands/agents-list.ts";
import { agentsOffers } from "./commands/agents-offers.ts";
import { agentsRemove } from "./commands/agents-remove.ts";
import { agentsSet } from "./commands/agents-set.ts";
import { agentsShare } from "./commands/agents-share.ts";
import { agentsShow } from "./commands/agents-show.ts";
import { agentsUnshare } from "./commands/agents-unshare.ts";
import { approvalsApprove } from "./commands/approvals-approve.ts";
import { approvalsDeny } from "./commands/approvals-deny.ts";
import { approvalsList } from "./commands/approvals-list.ts";
import { archivalAdd } from "./commands/archival-add.ts";
import { archivalExport } from "./commands/archival-export.ts";
import { archivalImport } from "./commands/archival-import.ts";
import { archivalList } from "./commands/archival-list.ts";
import { archivalRemove } from "./commands/archival-remove.ts";
import { archivalSearch } from "./commands/archival-search.ts";
import { attach } from "./commands/attach.ts";
import { backup } from "./commands/backup.ts";
import { chat } from "./commands/chat.ts";
import { compactionsList } from "./commands/compactions-list.ts";
import { compactionsUndo } from "./commands/compactions-undo.ts";
import { configShow } from "./commands/config-show.ts";
import { configure } from "./commands/configure.ts";
import { contextPlan } from "./commands/context-plan.ts";
import { contextShow } from "./commands/context-show.ts";
import { conversationsBranches } from "./commands/conversations-branches.ts";
import { conversationsExport } from "./commands/conversations-export.ts";
import { conversationsImport } from "./commands/conversations-import.ts";
import { conversationsList } from "./commands/conversations-list.ts";
import { conversationsRemove } from "./commands/conversations-remove.ts";
import { conversationsRename } from "./commands/conversations-rename.ts";
import { conversationsShow } from "./commands/conversations-show.ts";
import { conversationsSwitch } from "./commands/conversations-switch.ts";
import { detach } from "./commands/detach.ts";
import { doctor } from "./commands/doctor.ts";
import { forget } from "./commands/forget.ts";
import { inspect } from "./commands/inspect.ts";
import { importLetta } from "./commands/import-letta.ts";
import { importChatgpt, importClaude, importMem0 } from "./commands/import-export.ts";
import { keysCreate } from "./commands/keys-create.ts";
import { keysList } from "./commands/keys-list.ts";
import { keysRevoke } from "./commands/keys-revoke.ts";
import { load } from "./commands/load.ts";
import { mcpCommand } from "./commands/mcp.ts";
import { mcpAdd } from "./commands/mcp-add.ts";
import { mcpInstall } from "./commands/mcp-install.ts";
import { mcpList } from "./commands/mcp-list.ts";
import { mcpLogin } from "./commands/mcp-login.ts";
import { mcpLogout } from "./commands/mcp-logout.ts";
import { mcpRemove } from "./commands/mcp-remove.ts";
import { mcpTest } from "./commands/mcp-test.ts";
import { memoryDiff } from "./commands/memory-diff.ts";
import { memoryHistory } from "./commands/memory-history.ts";
import { memorySet } from "./commands/memory-set.ts";
import { memoryShow } from "./commands/memory-show.ts";
import { memoryUndo } from "./commands/memory-undo.ts";
import { models } from "./commands/models.ts";
import { modulesAccept } from "./commands/modules-accept.ts";
import { modulesAdd } from "./commands/modules-add.ts";
import { modulesAttach } from "./commands/modules-attach.ts";
import { modulesDecline } from "./commands/modules-decline.ts";
import { modulesDetach } from "./commands/modules-detach.ts";
import { modulesHistory } from "./commands/modules-history.ts";
import { modulesList } from "./commands/modules-list.ts";
import { modulesOffers } from "./commands/modules-offers.ts";
import { modulesRemove } from "./commands/modules-remove.ts";
import { modulesSet } from "./commands/modules-set.ts";
import { modulesShare } from "./commands/modules-share.ts";
import { modulesShow } from "./commands/modules-show.ts";
import { modulesUnshare } from "./commands/modules-unshare.ts";
import { nodeMemoryPrune } from "./commands/node-memory-prune.ts";
import { optimize } from "./commands/optimize.ts";
import { recallDates } from "./commands/recall-dates.ts";
import { recallSearch } from "./commands/recall-search.ts";
import { reembed } from "./commands/reembed.ts";
import { restore } from "./commands/restore.ts";
import { retentionApply } from "./commands/retention-apply.ts";
import { retentionList } from "./commands/retention-list.ts";
import { scheduleAdd } from "./commands/schedule-add.ts";
import { scheduleHistory } from "./commands/schedule-history.ts";
import { scheduleList } from "./commands/schedule-list.ts";
import { scheduleRemove } from "./commands/schedule-remove.ts";
import { scheduleRun } from "./commands/schedule-run.ts";
import { serveCommand } from "./commands/serve.ts";
import { sourcesDelete } from "./commands/sources-delete.ts";
import { sourcesList } from "./commands/sources-list.ts";
import { sourcesRename } from "./commands/sources-rename.ts";
import { sourcesShow } from "./commands/sources-show.ts";
import { evalCommand } from "./commands/eval.ts";
import { humansList, humansShow, personasList, personasShow } from "./commands/starters.ts";
import { synopsisClear } from "./commands/synopsis-clear.ts";
import { synopsisRefresh } from "./commands/synopsis-refresh.ts";
import { synopsisShow } from "./commands/synopsis-show.ts";
import { usersRemove } from "./commands/users-remove.ts";

export const commands: readonly Command[] = [
  chat,
  agentsList,
  agentsShow,
  agentsAdd,
  agentsSet,
  agentsRemove,
  agentsExport,
  agentsImport,
  agentsShare,
  agentsUnshare,
  agentsOffers,
  agentsAccept,
  agentsDecline,
  agentsLeave,
  memoryShow,
  memorySet,
  memoryHistory,
  memoryDiff,
  memoryUndo,
  modulesList,
  modulesShow,
  modulesHistory,
  modulesAdd,
  modulesSet,
  modulesRemove,
  modulesAttach,
  modulesDetach,
  modulesShare,
  modulesUnshare,
  modulesOffers,
  modulesAccept,
  modulesDecline,
  recallSearch,
  recallDates,
  archivalList,
  archivalSearch,
  archivalAdd,
  archivalRemove,
  archivalExport,
  archivalImport,
  synopsisShow,
  synopsisRefresh,
  synopsisClear,
  forget,
  load,
  attach,
  detach,
  sourcesList,
  sourcesShow,
  sourcesRename,
  sourcesDelete,
  contextShow,
  contextPlan,
  conversationsList,
  conversationsShow,
  conversationsExport,
  conversationsImport,
  conversationsBranches,
  conversationsSwitch,
  conversationsRename,
  conversationsRemove,
  importChatgpt,
  importClaude,
  importMem0,
  importLetta,
  compactionsList,
  compactionsUndo,
  approvalsList,
  approvalsApprove,
  approvalsDeny,
  scheduleAdd,
  scheduleList,
  scheduleHistory,
  scheduleRemove,
  scheduleRun,
  retentionApply,
  retentionList,
  nodeMemoryPrune,
  serveCommand,
  inspect,
  mcpCommand,
  mcpInstall,
  mcpAdd,
  mcpList,
  mcpTest,
  mcpLogin,
  mcpLogout,
  mcpRemove,
  personasList,
  personasShow,
  humansList,
  humansShow,
  configure,
  models,
  configShow,
  keysCreate,
  keysList,
  keysRevoke,
  usersRemove,
  doctor,
  evalCommand,
  optimize,
  reembed,
  backup,
  restore,
];

/** Descriptions of the topics, for help; topics with the same description share a line. */
export const topics: Readonly<Record<string, string>> = {
  chat: "talk with an agent (default)",
  agents: "create, list and share agents",
  memory: "core memory: always in the prompt",
  modules: "core memory to share",
  recall: "all messages",
  archival: "passages that the agent saved",
  synopsis: "a summary of the archive; summaries in the window, undoing them",
  load: "files that agents can search",
  attach: "files that agents can search",
  detach: "files that agents can search",
  sources: "files that agents can search",
  context: "the content of the window, and the plan for a query",
  conversations: "threads with an agent",
  import: "conversations and memories of other programs",
  compactions: "a summary of the archive; summaries in the window, undoing them",
  approvals: "tool calls that wait for your approval",
  schedule: "messages that are sent to an agent at set times",
  forget: "removal of content everywhere; deletion of old data",
  retention: "removal of content everywhere; deletion of old data",
  "node-memory": "removal of content everywhere; deletion of old data",
  personas: "starter texts for --persona and --human",
  humans: "starter texts for --persona and --human",
  configure: "choose the model; list models; show settings",
  models: "choose the model; list models; show settings",
  config: "choose the model; list models; show settings",
  serve: "a server, its page in a browser, keys; delete a user",
  keys: "a server, its page in a browser, keys; delete a user",
  users: "a server, its page in a browser, keys; delete a user",
  inspect: "a server, its page in a browser, keys; delete a user",
  mcp: "memory for other programs, and tools of servers",
  doctor: "check and repair the installation; measure memory",
  eval: "check and repair the installation; measure memory",
  optimize: "keep searches fast; switch embedders; back up, restore",
  reembed: "keep searches fast; switch embedders; back up, restore",
  backup: "keep searches fast; switch embedders; back up, restore",
  restore: "keep searches fast; switch embedders; back up, restore",
};

export function commandsAbout(topic: string): readonly Command[] {
  return commands.filter(({ words }) => words[0] === topic);
}
