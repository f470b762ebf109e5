// `palimpsest/buffer`: short-term memory for programs that call a model themselves.
export type {
  BufferedMessage,
  BufferedSummary,
  BufferFilter,
  BufferRole,
  MessageMetadata,
  MetadataValue,
} from "../buffer/buffered-message.ts";
export {
  type AgentContext,
  type AgentContextOptions,
  buildAgentContext,
  type SpokenMessage,
} from "../buffer/build-agent-context.ts";
export type { BufferSizes, MessageBufferState } from "../buffer/buffer-state.ts";
export {
  type BufferContext,
  type FormattedMessage,
  MessageBuffer,
  type MessageBufferDeps,
  type MessageBufferOptions,
} from "../buffer/message-buffer.ts";
export type { BufferDropCount } from "../buffer/pending-summaries.ts";
export type { BufferEntry, BufferHit } from "../buffer/rank-entries.ts";
export type { BufferSearchOptions, BufferSearchResult } from "../buffer/search-buffer.ts";
export type { BufferSummarizer } from "../buffer/summarize-overflow.ts";
