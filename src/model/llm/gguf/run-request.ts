// Runs one request on a loaded model: reads the new part of the prompt, then generates the reply, with tool calls
// constrained by grammar.
// Invariant: an abort takes effect between two pieces of the prompt and two tokens of the reply; a request that does
// not fit the context fails before anything is read.
import { basename } from "node:path";
import { ContextOverflowError } from "../../../base/errors.ts";
import type { Usage } from "../../../base/message/message.ts";
import type { ModelEvent, ModelRequest, ModelStopReason } from "../model.ts";
import { wireToolName } from "../wire/tool-json.ts";
import { withoutNulls } from "./grammar-schema.ts";
import type { ChatFunctions, ChatItem, ChatWrapper, LlamaStopReason, ReplyOptions, Token } from "./llama-package.ts";
import type { LoadedLlama } from "./load-llama.ts";
import { toChatFunctions } from "./to-chat-history.ts";

export interface LlamaRequest {
  readonly path: string;
  readonly request: ModelRequest;
  readonly history: readonly ChatItem[];
  /** Returns a call id that is unique in the conversation. */
  readonly nextCallId: () => string;
  readonly emit: (event: ModelEvent) => void;
  readonly signal: AbortSignal;
}

/** Tokens of the prompt that are read between two checks for an abort. */
const pieceTokens = 128;
/** Minimum tokens for a reply, and tokens that stay free: node-llama-cpp drops the beginning of a context that is full. */
const minReply = 32;
const spareTokens = 8;
/** Maximum calls in one reply. Small models do not stop: nine equal calls up to the reply's limit were observed. */
const maxCalls = 4;
/**
 * Sampling of the next token. With greedy sampling, small models repeat themselves forever (observed with 135 million
 * parameters: one sentence up to the reply's limit). The model cards of Qwen 3 warn of this; the numbers are from these
 * cards, except `topK`, which is llama.cpp's default.
 */
const sampling = { temperature: 0.6, topK: 40, topP: 0.95 };
/**
 * Returns the sampling. It is greedy for a forced call, which extracts data from the prompt: the grammar ends such a
 * call, and a retry must give the same call.
 */
function samplingOf({ temperature = sampling.temperature }: LlamaRequest["request"], isForced: boolean) {
  return { ...sampling, temperature: isForced ? 0 : temperature };
}

/** Emits the reply as it is generated, including its `end`. Throws ContextOverflowError, or the signal's reason. */
export async function runRequest(llama: LoadedLlama, asked: LlamaRequest): Promise<void> {
  const { request, signal, emit } = asked;
  const { sequence } = llama;
  const functions = toChatFunctions(request);
  const hasTools = request.tools.length > 0;
  const isForced = hasTools && request.toolChoice === "required";
  const prompt = promptTokens(llama, asked.history, functions);
  const room = llama.contextSize - prompt.length - spareTokens;
  if (room < minReply) throw overflow(asked.path, prompt.length, llama.contextSize);
  const before = sequence.tokenMeter.getState();
  await readPrompt(llama, prompt, signal);
  const chat = isForced
    ? new llama.library.LlamaChat({ contextSequence: sequence, chatWrapper: forcing(llama.chat.chatWrapper) })
    : llama.chat;
  const calls = createCalls(asked);
  try {
    const { metadata } = await chat.generateResponse(asked.history, {
      documentFunctionParams: true,
      ...samplingOf(request, isForced),
      maxTokens: Math.min(request.maxOutputTokens, room),
      signal,
      onResponseChunk: ({ type, text }) => {
        if (text !== "") emit({ type: type === "segment" ? "thought-delta" : "text-delta", text });
      },
      ...(hasTools ? { functions, onFunctionCall: calls.whole, onFunctionCallParamsChunk: calls.piece } : {}),
      ...(hasTools ? { maxParallelFunctionCalls: isForced ? 1 : maxCalls } : {}),
    });
    calls.end();
    const after = sequence.tokenMeter.getState();
    const read = after.usedInputTokens - before.usedInputTokens;
    const usage: Usage = {
      inputTokens: prompt.length,
      outputTokens: after.usedOutputTokens - before.usedOutputTokens,
      cachedInputTokens: Math.max(0, prompt.length - read),
    };
    emit({ type: "end", stopReason: stopReasonOf(metadata.stopReason), usage });
  } finally {
    if (isForced) chat.dispose();
  }
}

function promptTokens({ chat, model }: LoadedLlama, history: readonly ChatItem[], functions: ChatFunctions): Token[] {
  const last = history.at(-1);
  const chatHistory = last?.type === "model" ? history : [...history, { type: "model" as const, response: [] }];
  const state = chat.chatWrapper.generateContextState({
    chatHistory,
    availableFunctions: functions,
    documentFunctionParams: true,
  });
  return state.contextText.tokenize(model.tokenizer);
}

/**
 * Reads all tokens of the prompt except the last, with which generation begins. Tokens that the sequence already contains are
 * not read again.
 */
async function readPrompt({ sequence }: LoadedLlama, prompt: readonly Token[], signal: AbortSignal): Promise<void> {
  const head = prompt.slice(0, -1);
  signal.throwIfAborted();
  await sequence.adaptStateToTokens(head, false);
  for (let from = sequence.nextTokenIndex; from < head.length; from += pieceTokens) {
    signal.throwIfAborted();
    await sequence.evaluateWithoutGeneratingNewTokens(head.slice(from, from + pieceTokens));
  }
  signal.throwIfAborted();
}

/** Returns the template with the beginning of a call prefilled, so that the model must continue it. */
function forcing(wrapper: ChatWrapper): ChatWrapper {
  return Object.create(wrapper, {
    generateContextState: {
      value: (options: Parameters<ChatWrapper["generateContextState"]>[0]) => {
        const { contextText, stopGenerationTriggers } = wrapper.generateContextState(options);
        const functionCall = { initiallyEngaged: true, disengageInitiallyEngaged: [] };
        return { contextText, stopGenerationTriggers, functionCall };
      },
    },
  }) as ChatWrapper;
}

interface Calls {
  readonly whole: NonNullable<ReplyOptions["onFunctionCall"]>;
  readonly piece: NonNullable<ReplyOptions["onFunctionCallParamsChunk"]>;
  /** Emits the received part of a truncated call. */
  readonly end: () => void;
}

function createCalls({ request, nextCallId, emit }: LlamaRequest): Calls {
  let open: { readonly name: string; readonly text: string } | null = null;
  return {
    whole({ functionName: name, params }) {
      open = null;
      const tool = request.tools.find((one) => wireToolName(one.name) === name);
      const written = JSON.stringify(withoutNulls(params ?? {}, tool?.parameters));
      emit({ type: "tool-call", callId: nextCallId(), name, arguments: written });
    },
    piece({ functionName: name, paramsChunk, done }) {
      open = done ? null : { name, text: (open?.text ?? "") + paramsChunk };
    },
    end() {
      if (open !== null) emit({ type: "tool-call", callId: nextCallId(), name: open.name, arguments: open.text });
    },
  };
}

/** Returns the stop reason for a ModelEvent. */
export function stopReasonOf(reason: LlamaStopReason): ModelStopReason {
  switch (reason) {
    case "functionCalls":
      return "tool-calls";
    case "maxTokens":
    case "abort":
      return "length";
    case "eogToken":
    case "stopGenerationTrigger":
    case "customStopTrigger":
      return "end";
  }
}

function overflow(path: string, tokens: number, contextSize: number): ContextOverflowError {
  return new ContextOverflowError(
    `The request is longer than the window of "${basename(path)}": ${tokens} tokens of ${contextSize}. Shorten the conversation, or set a larger \`contextWindow\` if the model was trained with one.`,
    { provider: "gguf" },
  );
}
