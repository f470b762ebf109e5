// The types of a runtime's operations: a part of the entry point `palimpsest`.
export type {
  AgentDetailOptions,
  AgentListOptions,
  AgentOperations,
  CreateAgentOptions,
  NamedAgentDetails,
  OpenAgentOptions,
  OpenForTurnOptions,
  TurnAgent,
} from "../runtime/agents/contract.ts";
export type { Writer } from "../memory/writer.ts";
export type {
  ArchivalAddOptions,
  ArchivalOperations,
  ArchivalOptions,
  PassageInput,
  PassageListOptions,
} from "../runtime/archival/contract.ts";
export type {
  ConversationImport,
  ConversationListOptions,
  ConversationOperations,
  HistoryOptions,
  ImportedMessage,
  MessageFile,
  MessagePageOptions,
  NewConversation,
} from "../runtime/conversations/contract.ts";
export type { EmbeddingOperations } from "../runtime/embeddings/contract.ts";
export type {
  ForgetOperations,
  ForgetPreview,
  ForgetRequest,
  Forgotten,
  SimilarText,
} from "../runtime/forgetting/contract.ts";
export type { IdentityListOptions, IdentityOperations, NewIdentityOptions } from "../runtime/identities/contract.ts";
export type {
  Identity,
  IdentityChange,
  IdentityKind,
  IdentityListRequest,
  IdentityProperty,
} from "../store/port/identity-store.ts";
export type { CreatedKey, HostKeys, KeyOperations, KeyOptions } from "../runtime/keys/contract.ts";
export type {
  McpAnswer,
  McpOperations,
  McpPromptRecord,
  McpQuestion,
  McpQuestionField,
  McpResourceRecord,
  McpServerRecord,
  McpSignIn,
  McpToolRecord,
  TrustedDefinition,
} from "../runtime/mcp.ts";
export type {
  McpServerChange,
  McpServerOperations,
  McpServerOptions,
  McpServerRefresh,
  McpToolResult,
  NewMcpServer,
  UserMcpServer,
} from "../runtime/mcp-servers/contract.ts";
export type {
  EditedModule,
  EditOptions,
  MemoryOperations,
  ModuleView,
  ModuleEdit,
  UndoEditOptions,
} from "../runtime/memory/contract.ts";
export type {
  FileChange,
  FileHistoryOptions,
  MemoryFile,
  MemoryFileChange,
  MemoryFileOperations,
  MemoryToolCommand,
  MemoryToolResult,
  WrittenFile,
} from "../runtime/memory-files/contract.ts";
export type { KnownEmbedder, KnownModel, ModelListing, ModelOperations } from "../runtime/models/contract.ts";
export type {
  ModuleDefinition,
  ModuleListOptions,
  ModuleOperations,
  ModuleSettings,
  NewModuleOptions,
} from "../runtime/modules/contract.ts";
export type { PageOptions } from "../runtime/contract.ts";
export type { Skill, SkillOperations, SkillOptions, SkillWithText } from "../runtime/skills/contract.ts";
export type { RetentionOperations } from "../runtime/retention/contract.ts";
export type { RecallOperations, RecallOptions, RecallSearchOptions } from "../runtime/recall/contract.ts";
export type {
  BackFillCounts,
  ContinueTurnsOptions,
  HealthOptions,
  Host,
  HostCounters,
  HostHealth,
  TurnCounts,
} from "../runtime/host.ts";
export type {
  CloseOptions,
  ContextOptions,
  Runtime,
  Starter,
  UserRuntime,
} from "../runtime/runtime.ts";
export type {
  AgentTools,
  BuiltInTool,
  NewStoredTool,
  StoredToolListOptions,
  StoredToolOperations,
  StoredToolOptions,
} from "../runtime/stored-tools/contract.ts";
export type { AgentMessageOperations, MessageListOptions } from "../runtime/agent-messages/contract.ts";
export type { ConsolidationOperations, ReviewOptions } from "../runtime/consolidation/contract.ts";
export type {
  FiredSchedules,
  RunSchedulesOptions,
  ScheduleOperations,
  ScheduleOptions,
} from "../runtime/schedules/contract.ts";
export type {
  LoadOptions,
  LoadProgress,
  OpenLines,
  SourceChange,
  SourceDetailOptions,
  SourceLoadResult,
  SourceOperations,
} from "../runtime/sources/contract.ts";
export type {
  AgentStepListOptions,
  ApprovalOperations,
  StepListOptions,
  TurnEventOptions,
  TurnListOptions,
  TurnNotes,
  TurnOperations,
} from "../runtime/turns/contract.ts";
export type { SynopsisOperations, SynopsisPartView, SynopsisView } from "../runtime/synopsis/contract.ts";
export type { AddedPassage } from "../store/port/passage-store.ts";
export type { AttachedFile, FileLines, OpenFile, OpenFileText } from "../store/port/attached-file-store.ts";
export type { SourceDetails } from "../store/port/source-store.ts";
export type {
  AgentFile,
  AgentImport,
  AgentImportOptions,
  LettaImport,
  LettaImportOptions,
  LettaImportProgress,
} from "../runtime/agents/agent-files.ts";
export type {
  ImportedTexts,
  ImportForm,
  ImportOperations,
  ImportOptions,
  ImportProgress,
  ImportRemark,
  ImportReport,
  ImportSource,
} from "../runtime/imports/contract.ts";
export type {
  Transfer,
  TransferCounts,
  TransferredAgent,
  TransferredCall,
  TransferredCompaction,
  TransferredConversation,
  TransferredFile,
  TransferredMessage,
  TransferredModule,
  TransferredPassage,
  TransferredRequest,
  TransferredRevision,
  TransferredSource,
  TransferredTool,
} from "../store/port/transfer-store.ts";
