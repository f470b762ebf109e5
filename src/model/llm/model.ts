// Defines the port to language models, and functions that wrap a model. An adapter converts a neutral request to the wire
// format of its provider, and the reply back.
import type { FilePart } from "../../base/message/file-part.ts";
import type { Message, Usage, WindowSource } from "../../base/message/message.ts";

/** A tool as it is described to the model. `parameters` is a JSON Schema (draft 7) of an object. */
export interface ToolSpecification {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The type by which Anthropic's API knows the tool, such as `memory_20250818`; other providers ignore it. */
  readonly anthropicType?: string;
}

/** The system prompt in two parts, so that a provider can cache the first if only the second changes. */
export interface SystemPrompt {
  readonly instructions: string;
  readonly memory: string;
}

/** The form of a reply's text. */
export interface OutputFormat {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  /** A JSON Schema (draft 7) of an object. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/**
 * How much a model thinks, for all providers. With `off`, a model does not think or, if its thinking cannot be
 * disabled, thinks as little as possible.
 */
export type Effort = "off" | "low" | "medium" | "high";

export interface ModelRequest {
  readonly system: SystemPrompt;
  /**
   * The first message is from the user; every tool call is followed by its result. A `state` part is a text of the runtime.
   * If the wire format has a role or position that no other content can have, the adapter sends `state` parts there.
   */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpecification[];
  /**
   * Maximum tokens of the reply without its thoughts. If the provider's limit includes thoughts, the adapter adds tokens for
   * them.
   */
  readonly maxOutputTokens: number;
  /** An id that is the same for requests with the same beginning, such as those of one conversation. Contains no content. */
  readonly cacheKey?: string;
  /** How much the model thinks, as far as this can be controlled. Default: the provider's. */
  readonly effort?: Effort;
  /** Sampling temperature from 0 to 2; not sent to a model that refuses it. Default: the provider's. */
  readonly temperature?: number;
  /** `required`: the model must call a tool; a provider that can force a call does so. Default `auto`. */
  readonly toolChoice?: "auto" | "required";
  /**
   * The form of the reply, which only a model with `hasStructuredOutput` ensures. Other models ignore the form, so the
   * prompt describes it as well, and the caller checks every reply.
   */
  readonly output?: OutputFormat;
  /** Loads the content of a stored file; null if it was deleted. Without this function, a note replaces each file. */
  readonly loadFile?: (file: FilePart) => Promise<Uint8Array | null>;
}

/** Why the model stopped. `length`: truncated at `maxOutputTokens`, so the last tool call may be incomplete. */
export type ModelStopReason = "end" | "tool-calls" | "length" | "refusal";

export type ModelEvent =
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "thought-delta"; readonly text: string }
  /** Closes the current thought with the provider's signature, which must be sent back with the thought. */
  | { readonly type: "thought-signature"; readonly signature: string }
  /** A complete call. `arguments` is JSON text as the model wrote it, possibly malformed. */
  | { readonly type: "tool-call"; readonly callId: string; readonly name: string; readonly arguments: string }
  /** The call failed and is retried after `delayMs`: the reader discards everything that this stream emitted before. */
  | { readonly type: "retry"; readonly attempt: number; readonly delayMs: number; readonly reason: string }
  /** The tokens of the call so far, from providers that report them early. If the call is interrupted, they are its usage. */
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "end"; readonly stopReason: ModelStopReason; readonly usage: Usage };

export interface Model {
  /** The name in the configuration: `anthropic/claude-…`, `openai/gpt-…`, `gguf/PATH`, `demo`. */
  readonly name: string;
  /** Maximum tokens of request and reply together. It changes if the model's server reports another window. */
  readonly contextWindow: number;
  /** Whether the replies match the `output` of a request. Default false. */
  readonly hasStructuredOutput?: boolean;
  /** The source of `contextWindow`. Default `model`. */
  readonly windowFrom?: WindowSource;
  /**
   * Asks the model's server for its window, before a request is compiled. Takes a bounded time, unless the server must load the
   * model first; never rejects.
   */
  prepare?(signal?: AbortSignal): Promise<void>;
  /** Calls the model. The last event is `end`; a failure is thrown as a ModelError. */
  stream(request: ModelRequest, options: { readonly signal?: AbortSignal }): AsyncIterable<ModelEvent>;
  /** Frees the memory of a local model, after its current request. The next request loads it again. */
  close?(): Promise<void>;
}

/**
 * Returns the model with another `stream` function, for example one that adds an agent's settings to each request. All other
 * properties are those of `model`, and stay current if they change later, as the window does.
 */
export function withStream(model: Model, stream: Model["stream"]): Model {
  return {
    name: model.name,
    get contextWindow() {
      return model.contextWindow;
    },
    get windowFrom() {
      return model.windowFrom ?? "model";
    },
    hasStructuredOutput: model.hasStructuredOutput ?? false,
    prepare: async (signal) => model.prepare?.(signal),
    ...(model.close === undefined ? {} : { close: async () => model.close?.() }),
    stream,
  };
}

/** The settings of an agent that are part of a request; null: the provider's default. */
interface RequestSettings {
  readonly effort: Effort | null;
  readonly temperature: number | null;
}

/** Returns the model with these settings in each request; the same model if there are none. */
export function withRequestSettings(model: Model, { effort, temperature }: RequestSettings): Model {
  if (effort === null && temperature === null) return model;
  const settings = { ...(effort === null ? {} : { effort }), ...(temperature === null ? {} : { temperature }) };
  return withStream(model, (request, options) => model.stream({ ...settings, ...request }, options));
}
