// `palimpsest`: the public API. Names that no entry point exports may change without notice.
export type { Agent, CompactOptions, RevertMode, RevertOptions } from "../agent/agent.ts";
export type {
  CompactionResult,
  CompiledWindow,
  EditedReply,
  RevertedMemory,
  SideAnswer,
  ToolDescription,
  UndoneCompaction,
} from "../agent/agent-results.ts";
export type {
  AgentEvent,
  AgentEventType,
  EventBody,
  EventHeader,
  StopReason,
  TurnEnd,
  TurnFailure,
  RevertedEdit,
  WarningCode,
  WindowUsage,
} from "../agent/events.ts";
export type {
  CallResult,
  ClientTool,
  ReadOptions,
  SendOptions,
  SentMessage,
  SentMessages,
  StartedTurn,
  TurnEvents,
  TurnOptions,
} from "../agent/turn-options.ts";
export type { Clock } from "../base/clock.ts";
export {
  createHost,
  createRuntime,
  type HostOptions,
  type LimitsFor,
  type RuntimeOptions,
} from "../runtime/compose/compose.ts";
export type { RuntimeDeps } from "../runtime/compose/host-deps.ts";
export { loadConfig, type LoadConfigOptions, type LoadedConfig } from "../config/file/load-config.ts";
export type { Found as FoundSetting, Origin as SettingOrigin } from "../config/file-values.ts";
export type { ReferencedNames } from "../config/references.ts";
export { configDefaults } from "../config/settings.ts";
export type { Config, OptionalTool } from "../config/settings.ts";
export type { ToolRule } from "../config/settings/tool-rule.ts";
export type {
  ConversationHistory,
  HistoryLimits,
  HistoryMessage,
  RolePrefix,
} from "../context/conversation-history.ts";
export type { Embedder, EmbedOptions, Vector } from "../model/embedding/embedder.ts";
export type { Reranker } from "../model/reranking/reranker.ts";
export {
  ConfigError,
  ContextOverflowError,
  DefinitionError,
  type DependentEdits,
  DependentEditsError,
  EditMismatchError,
  EmbeddingError,
  type ErrorCode,
  errorCodes,
  type ErrorDetails,
  LimitError,
  ModelAuthError,
  ModelError,
  type ModelErrorDetails,
  ModelProtocolError,
  ModelRateLimitError,
  ModelReplyLimitError,
  ModelRequestError,
  ModelTimeoutError,
  ModelUnavailableError,
  ModuleAppendOnlyError,
  ModuleInvalidError,
  ModuleLimitError,
  ModuleNotFoundError,
  ModuleReadOnlyError,
  type ReachedLimit,
  type ReportedDetails,
  RequestError,
  RevisionConflictError,
  RuntimeError,
  StoreError,
  ToolError,
} from "../base/errors.ts";
export type { Log } from "../base/log.ts";
export type { OutputSchema } from "../tool/output-schema.ts";
export type {
  Effort,
  Model,
  ModelEvent,
  ModelRequest,
  ModelStopReason,
  OutputFormat,
  SystemPrompt,
  ToolSpecification,
} from "../model/llm/model.ts";
export type { ArchivalHit, ArchivalPage } from "../memory/archival/archival-memory.ts";
export type { BackupReport, ExternalObjects, RestoreReport } from "../store/port/backup.ts";
export type { StoredUser, StoreMaintenance } from "../store/port/store.ts";
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
} from "../store/port/context-report.ts";
export { BaseMemory, type MemoryClass, type MemoryState } from "../memory/core/base-memory.ts";
export { ChatMemory, type ChatMemoryOptions } from "../memory/core/chat-memory.ts";
export { FreeMemory } from "../memory/core/free-memory.ts";
export { MemoryModule, type ModuleOptions, type ModuleState } from "../memory/core/memory-module.ts";
export type { DiffRange, ModuleDiff } from "../memory/core/module-history.ts";
export type { RevisionCause } from "../memory/core/revision-cause.ts";
export { ScratchpadMemory, type ScratchpadMemoryOptions, scratchpadSchema } from "../memory/core/scratchpad-memory.ts";
export type { UndoneRevision, UndoOptions } from "../memory/core/undo-edit.ts";
export type { VectorKind } from "../store/port/embedder-store.ts";
export type { PassageKind, PassageRecord, SourceLocation } from "../store/port/passage-store.ts";
export type { PgPool, PgPoolClient, PgStatement } from "../store/port/pg-pool.ts";
export type { RecallWeights } from "../store/port/recall-store.ts";
export type { KeyRecord, KeyScope, VerifiedKey } from "../store/port/key-store.ts";
export type { ListRange } from "../store/port/page.ts";
export type {
  AgentDetails,
  AgentRecord,
  AgentSettings,
  CompactionRecord,
  CompactionStrategy,
  ConversationRecord,
  FoundTexts,
  MessageKind,
  MessageStatus,
  ModuleScope,
  Origin,
  Protocol,
  RevisionRecord,
  StateEntry,
  StoredMessage,
} from "../store/port/records.ts";
export type {
  BranchRecord,
  CallRequest,
  ConversationCall,
  ConversationMessage,
  ConversationSummary,
  FoundMessage,
  MessagePage,
} from "../store/port/conversation-store.ts";
export type { ApprovalDecider, ApprovalDecision, ApprovalRecord, PendingResult } from "../store/port/approval-store.ts";
export type { DroppedRows, RetainedKind, RetentionSettings, SweepRecord } from "../store/port/retention-store.ts";
export type { FormerAgentRecord, OfferRecord, RecipientRecord } from "../store/port/agent-store.ts";
export type { SearchWeights } from "../store/port/search-weights.ts";
export type {
  BlobLike,
  FileProgress,
  LoadSummary,
  SourceContent,
  SourceFileInput,
  SourceInput,
  UnloadedFile,
  WebStream,
} from "../memory/source-load.ts";
export type { SourceFileKind, SourceFileRecord, SourceRecord } from "../store/port/source-store.ts";
export type { LoggedStep, UserUsage } from "../store/port/step-store.ts";
export type { AgentQuery } from "../store/port/agent-store.ts";
export type { ConnectionCounts } from "../store/port/store.ts";
export type { StorageUsage } from "../store/port/retention-store.ts";
export type {
  ForgettingOrigin,
  ForgettingRecord,
  ForgettingRequest,
  ForgottenKind,
  ForgottenPlace,
} from "../store/port/forgetting-store.ts";
export type { AgentMessageRecord } from "../store/port/agent-message-store.ts";
export type { ConsolidationOperation, ConsolidationRecord } from "../store/port/consolidation-store.ts";
export type { ScheduleRecord, ScheduleRun } from "../store/port/schedule-store.ts";
export type {
  ModuleAccess,
  ModuleHolder,
  ModuleOfAgent,
  ModuleOffer,
  ModuleRecipient,
  SharedModule,
  SharedModuleListRequest,
} from "../store/port/shared-module-store.ts";
export type { AttachedTool, ServedTool, StoredTool, StoredToolListRequest } from "../store/port/stored-tool-store.ts";
export type { SynopsisContext, SynopsisIdentity } from "../store/port/synopsis-store.ts";
export type { StepQuery, TurnQuery, TurnRecord, TurnState, TurnStep } from "../store/port/turn-record-store.ts";
export type { OptimizedTable, OptimizeOptions, OptimizeReport } from "../store/port/upkeep.ts";
export type {
  AgentEmbeddings,
  DropVectorsOptions,
  DropVectorsResult,
  EmbeddingState,
  ReembedOptions,
  ReembedProgress,
  ReembedResult,
} from "../memory/vectors/reembedding.ts";
export type { Citation } from "../base/message/citation.ts";
export type {
  FileMetadata,
  FileInput,
  FileKind,
  FileLocation,
  FilePart,
  ModelInput,
} from "../base/message/file-part.ts";
export type {
  ContentPart,
  StatePart,
  ExternalSource,
  Message,
  ModelPrice,
  PrintedOutput,
  Role,
  TextPart,
  ThoughtPart,
  ToolCallPart,
  ToolResultPart,
  Trust,
  Usage,
  WindowSource,
} from "../base/message/message.ts";
export type * from "./runtime.ts";
export type { HitExplanation } from "../base/search-view/search-explanation.ts";
export { type ToolArguments, defineTool, type ToolDefinition } from "../tool/define-tool.ts";
export type { JsonSchemaObject, JsonSchemaValue } from "../tool/define-tool.ts";
export { type ResultWithFiles, withFiles } from "../tool/result-with-files.ts";
export type {
  ArchivalDraft,
  ArchivalInsertOptions,
  ArchivalQuery,
  AttachedFiles,
  CoreMemoryDraft,
  CoreMemoryModule,
  FileToOpen,
  FoundLine,
  FoundLines,
  JsonParameterSchema,
  LinesToFind,
  MessageSearchOptions,
  NeighbouringMessage,
  NeighbourOptions,
  NumberedMessage,
  OpenedFiles,
  ParameterIssue,
  ParameterSchema,
  RecallSearch,
  SearchHit,
  SearchOrder,
  SearchPage,
  Tool,
  ToolContext,
  ToolOutput,
  ToolParameters,
  ToolSelection,
  WorkingSearch,
  Zod3Schema,
} from "../tool/tool.ts";
