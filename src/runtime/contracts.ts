// Lists the groups of operations of a runtime, such as `runtime.agents`, each with its contract. The library's checks, the
// routes of `/api`, what a key of scope `read` allows, and the options of commands follow from this table.
// Invariant: a group without a contract does not compile.
import { agentMessageContract, type AgentMessageOperations } from "./agent-messages/contract.ts";
import { agentContract, type AgentOperations } from "./agents/contract.ts";
import { archivalContract, type ArchivalOperations } from "./archival/contract.ts";
import { consolidationContract, type ConsolidationOperations } from "./consolidation/contract.ts";
import type { Contract } from "./contract.ts";
import { conversationContract, type ConversationOperations } from "./conversations/contract.ts";
import { embeddingContract, type EmbeddingOperations } from "./embeddings/contract.ts";
import { forgetContract, type ForgetOperations } from "./forgetting/contract.ts";
import { identityContract, type IdentityOperations } from "./identities/contract.ts";
import { importContract, type ImportOperations } from "./imports/contract.ts";
import { keyContract, type KeyOperations } from "./keys/contract.ts";
import { mcpServerContract, type McpServerOperations } from "./mcp-servers/contract.ts";
import { memoryFileContract, type MemoryFileOperations } from "./memory-files/contract.ts";
import { memoryContract, type MemoryOperations } from "./memory/contract.ts";
import { modelContract, type ModelOperations } from "./models/contract.ts";
import { moduleContract, type ModuleOperations } from "./modules/contract.ts";
import { nodeMemoryContract, type NodeMemoryOperations } from "./node-memory/contract.ts";
import { recallContract, type RecallOperations } from "./recall/contract.ts";
import { retentionContract, type RetentionOperations } from "./retention/contract.ts";
import { scheduleContract, type ScheduleOperations } from "./schedules/contract.ts";
import { skillContract, type SkillOperations } from "./skills/contract.ts";
import { sourceContract, type SourceOperations } from "./sources/contract.ts";
import { storedToolContract, type StoredToolOperations } from "./stored-tools/contract.ts";
import { synopsisContract, type SynopsisOperations } from "./synopsis/contract.ts";
import { approvalContract, type ApprovalOperations, turnContract, type TurnOperations } from "./turns/contract.ts";

/** The groups of operations that have a contract, under their names in a runtime. */
export interface OperationGroups {
  /** Creates, opens, changes, shares, moves and deletes agents. `agents.open` returns an agent to talk to. */
  readonly agents: AgentOperations;
  /** Lists tool calls that wait for the user's approval. */
  readonly approvals: ApprovalOperations;
  /** Adds, searches and deletes passages of an agent's archive. */
  readonly archival: ArchivalOperations;
  /** Messages that agents write to each other. */
  readonly agentMessages: AgentMessageOperations;
  /** Lets a model propose how to tidy memory, with evidence, a review and an undo. */
  readonly consolidation: ConsolidationOperations;
  /** Lists, reads, imports, exports and deletes conversations. */
  readonly conversations: ConversationOperations;
  /** Changes the embedder of agents without interrupting searches. */
  readonly embeddings: EmbeddingOperations;
  /** Removes content from every place that holds it, permanently. */
  readonly forget: ForgetOperations;
  /** Records about people and organizations that agents talk to. */
  readonly identities: IdentityOperations;
  /** Imports conversations and memories from other programs. */
  readonly imports: ImportOperations;
  /** Keys that identify this user to a server. */
  readonly keys: KeyOperations;
  readonly mcpServers: McpServerOperations;
  /** Core memory: the modules that are in every prompt of an agent, with their history. */
  readonly memory: MemoryOperations;
  /** Core memory and the archive as text files, for editors and memory tools. */
  readonly memoryFiles: MemoryFileOperations;
  /** Texts that say how to do certain tasks: the prompt has their names and descriptions; a tool reads the texts. */
  readonly skills: SkillOperations;
  /** Lists the models that agents can have. */
  readonly models: ModelOperations;
  /** Modules that several agents and users can hold. */
  readonly modules: ModuleOperations;
  /** Memories of workflow nodes, to which programs add exchanges, without an agent: `palimpsest/node-memory`. */
  readonly nodeMemory: NodeMemoryOperations;
  /** Searches what was said in all conversations with an agent. */
  readonly recall: RecallOperations;
  /** Deletes data beyond the limits in an agent's settings. */
  readonly retention: RetentionOperations;
  /** Sends messages to agents at set times. */
  readonly schedules: ScheduleOperations;
  /** Loads files, and attaches them to agents, which can then search and open them. */
  readonly sources: SourceOperations;
  /** The summary of the facts about the user. */
  readonly synopsis: SynopsisOperations;
  /** Stores tools with their source code, and attaches them to agents. */
  readonly tools: StoredToolOperations;
  /** Records of turns and of their model calls. */
  readonly turns: TurnOperations;
}

export const contracts = {
  agents: agentContract,
  approvals: approvalContract,
  archival: archivalContract,
  agentMessages: agentMessageContract,
  consolidation: consolidationContract,
  conversations: conversationContract,
  embeddings: embeddingContract,
  forget: forgetContract,
  identities: identityContract,
  imports: importContract,
  keys: keyContract,
  mcpServers: mcpServerContract,
  memory: memoryContract,
  memoryFiles: memoryFileContract,
  skills: skillContract,
  models: modelContract,
  modules: moduleContract,
  nodeMemory: nodeMemoryContract,
  recall: recallContract,
  retention: retentionContract,
  schedules: scheduleContract,
  sources: sourceContract,
  synopsis: synopsisContract,
  tools: storedToolContract,
  turns: turnContract,
} as const satisfies { readonly [Group in keyof OperationGroups]: Contract<OperationGroups[Group]> };
