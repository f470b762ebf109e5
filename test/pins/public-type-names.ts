// The names of the exported types, by entry: literal, so that a change of one is a change of this list.
// Invariant: nothing here is imported from src.
import { words } from "../support/words.ts";

export const expectedTypes: Readonly<Record<string, readonly string[]>> = {
  index: words(`
    AddedPassage Agent AgentDetailOptions AgentDetails AgentEmbeddings AgentEvent AgentEventType AgentFile
    AgentImport AgentImportOptions AgentListOptions AgentMessageOperations AgentMessageRecord AgentOperations
    AgentQuery AgentRecord AgentSettings AgentStepListOptions AgentTools ApprovalDecider ApprovalDecision
    ApprovalOperations ApprovalRecord ArchivalAddOptions ArchivalDraft ArchivalHit ArchivalInsertOptions
    ArchivalOperations ArchivalOptions ArchivalPage ArchivalQuery AttachedFile AttachedFiles AttachedTool
    BackFillCounts BackupReport BlobLike BranchRecord BuiltInTool
    CallRequest CallResult ChatMemoryOptions Citation ClientTool Clock CloseOptions CompactOptions
    CompactionRecord CompactionResult CompactionStrategy CompiledWindow Config ConnectionCounts
    ConsolidationOperation ConsolidationOperations ConsolidationRecord ContentPart ContextOptions ContextReport
    ContinueTurnsOptions ConversationCall ConversationHistory ConversationImport ConversationListOptions
    ConversationMessage ConversationOperations ConversationRecord ConversationSummary CoreMemoryDraft
    CoreMemoryModule CreateAgentOptions CreatedKey
    DependentEdits DiffRange DropVectorsOptions DropVectorsResult DroppedRows
    EditOptions EditedModule EditedReply Effort EmbedOptions Embedder EmbeddingOperations EmbeddingState ErrorCode
    ErrorDetails EventBody EventHeader ExternalObjects ExternalSource
    FileChange FileHistoryOptions FileInput FileKind FileLines FileLocation FileMetadata FilePart FileProgress
    FileToOpen FiredSchedules ForgetOperations ForgetPreview ForgetRequest ForgettingOrigin ForgettingRecord
    ForgettingRequest Forgotten ForgottenKind ForgottenPlace FormerAgentRecord FoundLine FoundLines FoundMessage
    FoundSetting FoundTexts
    HealthOptions HistoryLimits HistoryMessage HistoryOptions HitExplanation Host HostCounters HostHealth HostKeys
    HostOptions
    Identity IdentityChange IdentityKind IdentityListOptions IdentityListRequest IdentityOperations
    IdentityProperty ImportForm ImportOperations ImportOptions ImportProgress ImportRemark ImportReport
    ImportSource ImportedMessage ImportedTexts
    JsonParameterSchema JsonSchemaObject JsonSchemaValue
    KeyOperations KeyOptions KeyRecord KeyScope KnownEmbedder KnownModel
    LeftOut LettaImport LettaImportOptions LettaImportProgress LimitsFor LinesToFind ListRange LoadConfigOptions
    LoadOptions LoadProgress LoadSummary LoadedConfig Log LoggedStep
    McpAnswer McpOperations McpPromptRecord McpQuestion McpQuestionField McpResourceRecord McpServerChange
    McpServerOperations McpServerOptions McpServerRecord McpServerRefresh McpSignIn McpToolRecord McpToolResult
    MemoryClass MemoryFile MemoryFileChange MemoryFileOperations MemoryOperations MemoryState MemoryToolCommand
    MemoryToolResult Message MessageFile MessageKind MessageListOptions MessagePage MessagePageOptions
    MessageSearchOptions MessageStatus Model ModelErrorDetails ModelEvent ModelInput ModelListing ModelOperations
    ModelPrice ModelRequest ModelStopReason ModuleAccess ModuleDefinition ModuleDiff ModuleEdit ModuleHolder
    ModuleListOptions ModuleOfAgent ModuleOffer ModuleOperations ModuleOptions ModuleRecipient ModuleScope
    ModuleSettings ModuleState ModuleView
    NamedAgentDetails NeighbourOptions NeighbouringMessage NewConversation NewIdentityOptions NewMcpServer
    NewModuleOptions NewStoredTool NumberedMessage
    OfferRecord OpenAgentOptions OpenFile OpenFileText OpenForTurnOptions OpenLines OpenedFiles OptimizeOptions
    OptimizeReport OptimizedTable OptionalTool Origin OutputFormat OutputSchema
    PageOptions ParameterIssue ParameterSchema PassageInput PassageKind PassageListOptions PassageRecord
    PendingResult PgPool PgPoolClient PgStatement PrintedOutput Protocol
    RankedTierLimits ReachedLimit ReadOptions RecallOperations RecallOptions RecallSearch RecallSearchOptions
    RecallWeights RecipientRecord ReembedOptions ReembedProgress ReembedResult ReferencedNames ReportedDetails
    Reranker RestoreReport ResultWithFiles RetainedKind RetentionOperations RetentionSettings RetrievedPart
    RevertMode RevertOptions RevertedEdit RevertedMemory ReviewOptions RevisionCause RevisionRecord Role
    RolePrefix RunSchedulesOptions Runtime RuntimeDeps RuntimeOptions
    ScheduleOperations ScheduleOptions ScheduleRecord ScheduleRun ScratchpadMemoryOptions SearchHit SearchOrder
    SearchPage SearchWeights SendOptions SentMessage SentMessages ServedTool SettingOrigin SharedModule
    SharedModuleListRequest SideAnswer SimilarText Skill SkillOperations SkillOptions SkillWithText SourceChange
    SourceContent SourceDetailOptions SourceDetails SourceFileInput SourceFileKind SourceFileRecord SourceInput
    SourceLoadResult SourceLocation SourceOperations SourceRecord StartedTurn Starter StateEntry StatePart
    StepListOptions StepQuery StopReason StorageUsage StoreMaintenance StoredMessage StoredTool
    StoredToolListOptions StoredToolListRequest StoredToolOperations StoredToolOptions StoredUser SweepRecord
    SynopsisContext SynopsisIdentity SynopsisOperations SynopsisPartView SynopsisView SystemPrompt
    TextPart ThoughtPart TierLimits TierName TierReport TierSettings Tool ToolArguments ToolCallPart ToolContext
    ToolDefinition ToolDescription ToolOutput ToolParameters ToolResultPart ToolRule ToolSelection
    ToolSpecification Transfer TransferCounts TransferredAgent TransferredCall TransferredCompaction
    TransferredConversation TransferredFile TransferredMessage TransferredModule TransferredPassage
    TransferredRequest TransferredRevision TransferredSource TransferredTool Trust TrustedDefinition TurnAgent
    TurnCounts TurnEnd TurnEventOptions TurnEvents TurnFailure TurnListOptions TurnNotes TurnOperations
    TurnOptions TurnQuery TurnRecord TurnState TurnStep
    UndoEditOptions UndoOptions UndoneCompaction UndoneRevision UnloadedFile Usage UserMcpServer UserRuntime
    UserUsage
    Vector VectorKind VerifiedKey
    WarningCode WebStream WindowLayout WindowOverflow WindowPart WindowSource WindowUsage WorkingSearch Writer
    WrittenFile
    Zod3Schema
  `),
  "ai-sdk": words(`
    UiCallFacts UiCallOptions UiDataChunk UiDataParts UiEncodeOptions UiFinishReason UiMessage UiMessageChunk
    UiMessageEncoder UiMessageMetadata UiMessageOptions UiMessagePart UiResponseOptions UiToolPart
  `),
  buffer: words(`
    AgentContext AgentContextOptions BufferContext BufferDropCount BufferEntry BufferFilter BufferHit BufferRole
    BufferSearchOptions BufferSearchResult BufferSizes BufferSummarizer BufferedMessage BufferedSummary
    FormattedMessage MessageBufferDeps MessageBufferOptions MessageBufferState MessageMetadata MetadataValue
    SpokenMessage
  `),
  client: words(`
    Api ApiErrorDetails ApiRequest CallName CallOptions CallResult Client ClientOptions ConversationPlace
    DownloadName InvalidField RequestArgument StreamName TurnRequest
  `),
  headless: ["StreamInput", "StreamRecord"],
  "memory-tool": ["MemoryCommandRunner", "MemoryToolHandlers", "SentMemoryCommand"],
  "node-memory": words(`
    AddedExchange ConversationMemory NodeHistoryOptions NodeKey NodeMemory NodeMemoryOperations NodeMemoryOptions
    NodeMemorySummary PromptHistoryOptions PromptMemoryOptions ThreadNode
  `),
  "query-planner": words(`
    ContextHit ContextSource ContextSourceRequest ContextSourceResult HitDecision PlanOptions PlannedContext
    PlannedHit PlannedSource QueryPlannerOptions SynopsisSource
  `),
  testing: ["ScriptedModel", "ScriptedModelOptions", "ScriptedReplies", "ScriptedReply", "ScriptedToolCall"],
  "working-memory": [
    "WorkingHit",
    "WorkingInput",
    "WorkingMemoryOptions",
    "WorkingSearchOptions",
    "WorkingSearchResult",
  ],
};
