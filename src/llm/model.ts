// The port to language models. Each adapter turns a neutral request into its provider's wire format and back.
// Invariant: a stream ends with exactly one `end`, or throws a ModelError or the abort signal's reason.
import type { FilePart } from "../message/file-part.ts";
import type { Message, Usage } from "../message/message.ts";

/** A tool as the model is told of it. `parameters` is a JSON schema (draft 7) of an object. */
export interface ToolSpecification {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** The system prompt in two pieces, so that a provider's cache can keep the first when only the second changes. */
export interface SystemPrompt {
  readonly instructions: string;
  readonly memory: string;
}

export interface ModelRequest {
  readonly system: SystemPrompt;
  /** Starts with a user message; every tool call is followed by its result. */
  readonly messages: readonly Message[];
  /**
   * What was looked up for the last message: material, as the text of a tool. It follows the history without being part of it,
   * and the next request does not have it, so a provider's cache should end before it.
   */
  readonly retrieved?: string;
  /**
   * The runtime's state block, which ends the request as `retrieved` does. Where the wire has a place that no content can
   * reach, it goes there alone.
   */
  readonly state?: string;
  readonly tools: readonly ToolSpecification[];
  /** The most tokens that the reply may have. */
  readonly maxOutputTokens: number;
  /** `required`: the model must call some tool. Default `auto`. */
  readonly toolChoice?: "auto" | "required";
  /** The content of a file that stands with us; null when it is gone. Absent: no file is sent, and notes stand in their place. */
  readonly loadFile?: (file: FilePart) => Promise<Uint8Array | null>;
}

/** Why the model stopped. `length`: cut off at `maxOutputTokens`, so the last tool call may be incomplete. */
export type ModelStopReason = "end" | "tool-calls" | "length" | "refusal";

export type ModelEvent =
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "thought-delta"; readonly text: string }
  /** Closes the thought so far with the provider's signature, which must be sent back with it. */
  | { readonly type: "thought-signature"; readonly signature: string }
  /** A whole call. `arguments` is the JSON text as the model wrote it; it may be malformed. */
  | { readonly type: "tool-call"; readonly callId: string; readonly name: string; readonly arguments: string }
  /** The call failed and is made again after `delayMs`; whatever came before in this stream is void. */
  | { readonly type: "retry"; readonly attempt: number; readonly delayMs: number; readonly reason: string }
  | { readonly type: "end"; readonly stopReason: ModelStopReason; readonly usage: Usage };

export interface Model {
  /** As in the configuration: `anthropic/claude-…`, `openai/gpt-…`, `gguf/PATH`, `demo`. */
  readonly name: string;
  /** Tokens that request and reply may have together. */
  readonly contextWindow: number;
  stream(request: ModelRequest, options: { readonly signal?: AbortSignal }): AsyncIterable<ModelEvent>;
  /** Frees the memory of a model that runs here; waits for what it is at. The next call loads it again. */
  close?(): Promise<void>;
}
