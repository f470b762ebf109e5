// Finds and loads the optional package `node-llama-cpp`, which runs GGUF files, and declares types for it.
// Invariant: if the package is missing, a ConfigError says what to install; nothing is built or downloaded.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { ConfigError } from "../../../base/errors.ts";
import type { GrammarSchema } from "./grammar-schema.ts";

// This project does not install the package, which takes 85 MB for one CPU architecture, 725 MB with the GPU libraries. So the
// types of the used parts, from version 3.22.1, are declared here; `npm run test:gguf` tests them with the package.

/** The used parts of the module `node-llama-cpp`. */
export interface LlamaLibrary {
  getLlama(options: {
    readonly build: "never";
    readonly skipDownload: true;
    readonly progressLogs: false;
    readonly logger: (level: string, message: string) => void;
  }): Promise<Llama>;
  readonly LlamaChat: new (options: { readonly contextSequence: Sequence; readonly chatWrapper?: ChatWrapper }) => Chat;
}

export interface Llama {
  readonly cpuMathCores: number;
  loadModel(options: {
    readonly modelPath: string;
    readonly loadSignal: AbortSignal;
    readonly onLoadProgress: (share: number) => void;
  }): Promise<LlamaModel>;
  dispose(): Promise<void>;
}

export type Token = number;

export interface LlamaModel {
  readonly tokenizer: unknown;
  createContext(options: {
    readonly contextSize: number;
    readonly sequences: 1;
    readonly threads: number;
  }): Promise<{ readonly contextSize: number; getSequence(): Sequence }>;
}

export interface Sequence {
  readonly nextTokenIndex: number;
  readonly tokenMeter: { getState(): { readonly usedInputTokens: number; readonly usedOutputTokens: number } };
  adaptStateToTokens(tokens: Token[], allowShift: boolean): Promise<void>;
  evaluateWithoutGeneratingNewTokens(tokens: Token[]): Promise<void>;
}

/** Formats a conversation in the model's training format, by the template in its GGUF file. */
export interface ChatWrapper {
  generateContextState(options: {
    readonly chatHistory: readonly ChatItem[];
    readonly availableFunctions: ChatFunctions;
    readonly documentFunctionParams: true;
  }): ContextState;
}

export interface ContextState {
  readonly contextText: { tokenize(tokenizer: unknown): Token[] };
  readonly [trigger: string]: unknown;
}

export type ChatItem =
  | { readonly type: "system" | "user"; readonly text: string }
  | { readonly type: "model"; readonly response: readonly (string | ChatCall)[] };

export interface ChatCall {
  readonly type: "functionCall";
  readonly name: string;
  readonly params: unknown;
  readonly result: string;
  /** True for the first of several parallel calls. */
  readonly startsNewChunk: boolean;
}

export type ChatFunctions = Readonly<
  Record<string, { readonly description: string; readonly params?: GrammarSchema | undefined }>
>;

export interface ReplyChunk {
  /** `segment` for a thought, undefined for plain text. */
  readonly type?: "segment" | undefined;
  readonly text: string;
}

/** A piece of the arguments of a call. */
export interface CallChunk {
  readonly functionName: string;
  readonly paramsChunk: string;
  /** True for the last piece of a call. */
  readonly done: boolean;
}

export type LlamaStopReason =
  | "eogToken"
  | "stopGenerationTrigger"
  | "functionCalls"
  | "maxTokens"
  | "abort"
  | "customStopTrigger";

export interface Chat {
  readonly chatWrapper: ChatWrapper;
  generateResponse(
    history: readonly ChatItem[],
    options: ReplyOptions,
  ): Promise<{
    readonly metadata: { readonly stopReason: LlamaStopReason };
  }>;
  dispose(): void;
}

export interface ReplyOptions {
  readonly functions?: ChatFunctions;
  readonly maxParallelFunctionCalls?: number;
  readonly documentFunctionParams: true;
  readonly maxTokens: number;
  readonly temperature: number;
  readonly topK: number;
  readonly topP: number;
  readonly signal: AbortSignal;
  readonly onResponseChunk: (chunk: ReplyChunk) => void;
  readonly onFunctionCall?: (call: { readonly functionName: string; readonly params: unknown }) => void;
  readonly onFunctionCallParamsChunk?: (chunk: CallChunk) => void;
}

const packageName = "node-llama-cpp";

/** Returns whether `node-llama-cpp` is installed, without loading it. */
export function isLlamaInstalled(): boolean {
  return installedFile() !== null;
}

/** Loads `node-llama-cpp`. Throws ConfigError if the package is not installed. */
export async function loadLlamaLibrary(): Promise<LlamaLibrary> {
  return (await import(pathToFileURL(requireLlamaPackage()).href)) as LlamaLibrary;
}

/** Returns the path of `node-llama-cpp` without loading it. Throws ConfigError if the package is not installed. */
export function requireLlamaPackage(): string {
  const file = installedFile();
  if (file !== null) return file;
  throw new ConfigError(
    `Models from GGUF files need a package that is not installed: npm install ${packageName}@3 (in the folder where palimpsest is installed; with -g if palimpsest is global), or choose another \`model\`.`,
  );
}

function installedFile(): string | null {
  try {
    return createRequire(import.meta.url).resolve(packageName);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND") return null;
    throw error;
  }
}
