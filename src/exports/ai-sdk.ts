// `palimpsest/ai-sdk`: turns as the UI message stream of the AI SDK, for servers whose pages use `useChat`.
export {
  createUiMessageEncoder,
  type UiEncodeOptions,
  type UiMessageEncoder,
} from "../surfaces/stream/ai-sdk/encode-turn.ts";
export type { UiCallOptions } from "../surfaces/stream/ai-sdk/encode-calls.ts";
export { replayRun } from "../surfaces/stream/ai-sdk/replay-run.ts";
export {
  uiMessageChunks,
  uiMessageResponse,
  type UiResponseOptions,
  uiMessageStreamHeaders,
} from "../surfaces/stream/ai-sdk/stream-turn.ts";
export type {
  UiCallFacts,
  UiDataChunk,
  UiDataParts,
  UiFinishReason,
  UiMessageChunk,
  UiMessageMetadata,
} from "../surfaces/stream/ai-sdk/ui-chunk.ts";
export {
  type UiMessage,
  type UiMessageOptions,
  type UiMessagePart,
  uiMessagesOf,
  type UiToolPart,
} from "../surfaces/stream/ai-sdk/ui-message.ts";
