// `palimpsest/buffer`: short-term memory for programs that call a model themselves.
export type {
  BufferedMessage,
  BufferedSummary,
  BufferFilter,
  BufferRole,
  MessageMetadata,
  MetadataValue,
} from "../context/buffer/buffered-message.ts";
export {
  type AgentContext,
  type AgentContextOptions,
  buildAgentContext,
  type SpokenMessage,
} from "../context/buffer/build-agent-context.ts";
export type { BufferSizes, MessageBufferState } from "../context/buffer/buffer-state.ts";
export {
  type BufferContext,
  type FormattedMessage,
  MessageBuffer,
  type MessageBufferDeps,
  type MessageBufferOptions,
} from "../context/buffer/message-buffer.ts";
export type { BufferDropCount } from "../context/buffer/summarize-overflow.ts";
export type { BufferEntry, BufferHit } from "../context/buffer/search-buffer.ts";
export type { BufferSearchOptions, BufferSearchResult } from "../context/buffer/search-buffer.ts";
export type { BufferSummarizer } from "../context/buffer/summarize-overflow.ts";
