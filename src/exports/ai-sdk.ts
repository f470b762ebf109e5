// `palimpsest/ai-sdk`: turns as the UI message stream of the AI SDK, for servers whose pages use `useChat`.
export { createUiMessageEncoder, type UiEncodeOptions, type UiMessageEncoder } from "../ui-stream/encode-turn.ts";
export type { UiCallOptions } from "../ui-stream/encode-calls.ts";
export { replayRun } from "../ui-stream/replay-run.ts";
export {
  uiMessageChunks,
  uiMessageResponse,
  type UiResponseOptions,
  uiMessageStreamHeaders,
} from "../ui-stream/stream-turn.ts";
export type {
  UiCallFacts,
  UiDataChunk,
  UiDataParts,
  UiFinishReason,
  UiMessageChunk,
  UiMessageMetadata,
} from "../ui-stream/ui-chunk.ts";
export {
  type UiMessage,
  type UiMessageOptions,
  type UiMessagePart,
  uiMessagesOf,
  type UiToolPart,
} from "../ui-stream/ui-message.ts";
