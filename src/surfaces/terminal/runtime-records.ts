// Names the types that a Runtime returns, derived from its signatures.
// Invariant: types only; the chat imports types of agents and memory from this file only.
import type { Agent } from "../../agent/agent.ts";
import type { ModuleView } from "../../runtime/memory/contract.ts";
import type { Runtime } from "../../runtime/runtime.ts";

export type { Agent, ModuleView, Runtime };
export type ToolDescription = ReturnType<Agent["describeTools"]>[number];
export type StoredMessage = Agent["messages"][number];
export type LoggedStep = Awaited<ReturnType<Agent["step"]>>;
export type WindowReport = LoggedStep["report"];
export type ApprovalRecord = Agent["pendingApprovals"][number];
export type BranchRecord = Awaited<ReturnType<Agent["branches"]>>[number];
export type ConversationSummary = Awaited<ReturnType<Runtime["conversations"]["list"]>>[number];
export type RevisionRecord = Awaited<ReturnType<Runtime["memory"]["revisions"]>>[number];
export type RevisionCause = Awaited<ReturnType<Runtime["memory"]["cause"]>>;
export type Consolidation = Awaited<ReturnType<Runtime["consolidation"]["find"]>>;
export type SearchPage = Awaited<ReturnType<Runtime["recall"]["search"]>>;
export type SearchHit = SearchPage["hits"][number];
export type SourceRecord = Awaited<ReturnType<Runtime["sources"]["list"]>>[number];
export type ForgetPreview = Awaited<ReturnType<Runtime["forget"]["preview"]>>;
export type McpServer = Awaited<ReturnType<Runtime["mcp"]["servers"]>>[number];
export type McpQuestion = ReturnType<Runtime["mcp"]["questions"]>[number];
export type McpTool = McpServer["tools"][number];
