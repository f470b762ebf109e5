// The public API: named exports, nothing else. What is not here may change without notice.
export type {
  Agent,
  CompactionResult,
  CompiledWindow,
  EditedReply,
  MemoryChoice,
  SendOptions,
  SideAnswer,
  RevertOptions,
  RevertedMemory,
  ToolDescription,
} from "./agent/agent.ts";
export type { AgentEvent, AgentEventType, StopReason, UndoneEdit, WarningCode, WindowUse } from "./agent/events.ts";
export type { Clock } from "./base/clock.ts";
export type { Citation } from "./message/citation.ts";
export { createRuntime, type RuntimeOptions } from "./compose.ts";
export { loadConfig, type LoadConfigOptions, type LoadedConfig } from "./config-file/load-config.ts";
export { type Config, configDefaults } from "./config/settings.ts";
export type {
  BufferedMessage,
  BufferedSummary,
  BufferFilter,
  BufferRole,
  MessageMetadata,
} from "./buffer/buffered-message.ts";
export type { BufferSizes, MessageBufferState } from "./buffer/buffer-state.ts";
export {
  type BufferContext,
  type FormattedMessage,
  MessageBuffer,
  type MessageBufferOptions,
  type MessageBufferDeps,
} from "./buffer/message-buffer.ts";
export type {
  ConversationHistory,
  HistoryLimits,
  HistoryMessage,
  RolePrefix,
} from "./context/conversation-history.ts";
export { extractThread, type ThreadNode } from "./context/extract-thread.ts";
export type { BufferSummarizer } from "./buffer/summarize-overflow.ts";
export type { DroppedCount } from "./buffer/pending-summaries.ts";
export type { BufferHit } from "./buffer/rank-entries.ts";
export type { BufferSearchOptions, BufferSearchResult } from "./buffer/search-buffer.ts";
export type { EmbedOptions, Embedder } from "./embedding/embedder.ts";
export {
  ConfigError,
  ContextOverflowError,
  DefinitionError,
  EditMismatchError,
  DependentEditsError,
  EmbeddingError,
  type ErrorCode,
  errorCodes,
  ModelAuthError,
  ModelError,
  ModelProtocolError,
  ModelRateLimitError,
  ModelReplyLimitError,
  ModelRequestError,
  ModelTimeoutError,
  ModelUnavailableError,
  ModuleInvalidError,
  ModuleLimitError,
  ModuleNotFoundError,
  ModuleReadOnlyError,
  RequestError,
  RevisionConflictError,
  RuntimeError,
  type DependentEdits,
  StoreError,
  ToolError,
} from "./errors.ts";
export { type StreamInput, streamInputSchema } from "./headless/stream-input.ts";
export { type StreamRecord, streamJsonVersion, streamRecordSchema } from "./headless/stream-record.ts";
export type { Model, ModelEvent, ModelRequest, ModelStopReason, SystemPrompt, ToolSpecification } from "./llm/model.ts";
export type {
  ContextReport,
  LeftOut,
  RankedTierLimits,
  RetrievedPart,
  TierLimits,
  TierName,
  TierReport,
  TierSettings,
  WindowLayout,
  WindowOverflow,
  WindowPart,
} from "./memory/context-report.ts";
export { BaseMemory, type MemoryClass, type MemoryState } from "./memory/core/base-memory.ts";
export { ChatMemory, type ChatMemoryInit } from "./memory/core/chat-memory.ts";
export { MemoryModule, type ModuleInit, type ModuleState } from "./memory/core/memory-module.ts";
export { ScratchpadMemory, type ScratchpadMemoryInit, scratchpadSchema } from "./memory/core/scratchpad-memory.ts";
export type { DiffRange, ModuleDiff } from "./memory/core/module-history.ts";
export type { RevisionCause } from "./memory/core/revision-cause.ts";
export type { UndoneRevision, UndoOptions } from "./memory/core/undo-edit.ts";
export type {
  AgentRecord,
  AgentSettings,
  ApprovalDecider,
  ApprovalDecision,
  ApprovalRecord,
  BranchRecord,
  ConversationSummary,
  DropCount,
  ModuleScope,
  Protocol,
  RetainedKind,
  RetentionSettings,
  RevisionRecord,
  StoredMessage,
  SweepRecord,
} from "./memory/records.ts";
export type { ArchivalHit, ArchivalPage } from "./memory/archival/archival-memory.ts";
export type { PassageKind, PassageRecord, SourceLocation } from "./memory/passage-store.ts";
export type { HitDecision } from "./memory/planner/fit-hits.ts";
export type { ContextHit } from "./memory/planner/rank-hits.ts";
export {
  type ContextSource,
  type PlannedContext,
  type PlannedHit,
  type PlannedSource,
  type PlanOptions,
  QueryPlanner,
  type QueryPlannerOptions,
  type SourceAnswer,
  type SourceAsk,
  type SynopsisSource,
} from "./memory/planner/query-planner.ts";
export type { SearchWeights } from "./memory/search-weights.ts";
export type { FileProgress, LoadSummary, UnloadedFile } from "./memory/source-load.ts";
export type { SourceFileKind, SourceFileRecord, SourceRecord } from "./memory/source-store.ts";
export type { StorageUsage } from "./memory/store.ts";
export type {
  AgentEmbeddings,
  DropOptions,
  DropResult,
  EmbeddingState,
  ReembedOptions,
  ReembedProgress,
  ReembedResult,
} from "./memory/vectors/reembedding.ts";
export type { NodeKey } from "./memory/node-memory-store.ts";
export type {
  AddedTurn,
  ConversationMemory,
  NodeHistoryOptions,
  NodeMemory,
  NodeMemoryOptions,
  PromptHistoryOptions,
  PromptMemoryOptions,
} from "./memory/node/node-memory.ts";
export type { RecallWeights } from "./memory/recall-store.ts";
export type { FileFacts, FileInput, FileKind, FileLocation, FilePart, ModelInput } from "./message/file-part.ts";
export type {
  ContentPart,
  Message,
  ModelPrice,
  Role,
  TextPart,
  ThoughtPart,
  ToolCallPart,
  ToolResultPart,
  Usage,
} from "./message/message.ts";
export type { WorkingText } from "./memory/working/working-entry.ts";
export {
  type WorkingHit,
  WorkingMemory,
  type WorkingMemoryOptions,
  type WorkingSearchOptions,
  type WorkingSearchResult,
} from "./memory/working/working-memory.ts";
export type { LoggedStep } from "./memory/step-store.ts";
export type { CreateAgentOptions, OpenAgentOptions } from "./runtime/agents.ts";
export type { ArchivalOptions, PassageInput } from "./runtime/archival.ts";
export type { ConversationImport, HistoryOptions, ImportedMessage } from "./runtime/conversations.ts";
export type { ModuleView } from "./runtime/memory.ts";
export type { NodeMemorySummary } from "./runtime/node-memory.ts";
export type { RecallOptions, RecallSearchOptions } from "./runtime/recall.ts";
export type { ContextOptions, Runtime, Starter } from "./runtime/runtime.ts";
export type { LoadOptions, LoadProgress, SourceLoad } from "./runtime/sources.ts";
export type { SynopsisPartView, SynopsisView } from "./runtime/synopsis.ts";
export type { SynopsisContext, SynopsisIdentity } from "./memory/synopsis-store.ts";
export { type ResultWithFiles, withFiles } from "./tool/result-with-files.ts";
export { defineTool, type ToolDefinition } from "./tool/define-tool.ts";
export type { ToolSelection } from "./tool/select-tools.ts";
export type { HitExplanation } from "./search-view/search-explanation.ts";
export type { NeighbouringMessage, SearchHit, SearchPage, Tool, ToolContext, WorkingSearch } from "./tool/tool.ts";
