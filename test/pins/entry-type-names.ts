// The type names that the smaller entries of the package export, by entry. Those of `palimpsest` are in public-type-names.ts.
// Invariant: literal; nothing here is imported from src.
import { words } from "../support/words.ts";

export const entryTypes: Readonly<Record<string, readonly string[]>> = {
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

/** Those of `index` that begin with this word. */
export const turnTypes: readonly string[] = words(`
  TurnAgent TurnCounts TurnEnd TurnFailure TurnEventOptions TurnEvents TurnListOptions TurnNotes TurnOperations
  TurnOptions TurnQuery TurnRecord TurnState TurnStep
`);

/** Exported by `palimpsest`: memory as files. */
export const memoryFileTypes: readonly string[] = words(`
  FileChange FileHistoryOptions MemoryFile MemoryFileChange MemoryFileOperations MemoryToolCommand
  MemoryToolResult WrittenFile
`);

/** Types of `palimpsest` about the context window. */
export const windowTypes = ["WindowLayout", "WindowOverflow", "WindowPart", "WindowSource", "WindowUsage"];
