// Converts errors of the SDKs of Anthropic and OpenAI to a ProviderFailure. Stainless generates both SDKs, so their error
// classes have the same names. The classes are parameters, because an SDK is loaded only when it is used.
import type { HeaderReader, ProviderFailure } from "./model-errors.ts";

type ErrorClass = abstract new (...parameters: never[]) => Error;

export interface SdkErrorClasses {
  readonly APIError: ErrorClass;
  readonly APIConnectionError: ErrorClass;
  readonly APIConnectionTimeoutError: ErrorClass;
}

// The HTTP status by the provider's error code: errors inside a stream have a code but no status.
const statusByCode: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  invalid_prompt: 400,
  context_length_exceeded: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  model_not_found: 404,
  timeout_error: 408,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  overloaded_error: 529,
};

/** Converts any value that an SDK threw. `stage`: `stream` if the reply had begun. */
export function readSdkError(error: unknown, sdk: SdkErrorClasses, stage: "request" | "stream"): ProviderFailure {
  if (error instanceof sdk.APIConnectionTimeoutError) return { kind: "timeout", codes: [], text: "", cause: error };
  if (error instanceof sdk.APIConnectionError) {
    // If the connection is lost after the reply has begun, the stream counts as truncated.
    return { kind: stage === "stream" ? "stream" : "connection", codes: [], text: rootText(error), cause: error };
  }
  if (error instanceof sdk.APIError) return readAnswer(error);
  return { kind: stage, codes: [], text: plainText(error), cause: error };
}

/** Converts an error that the provider sent as a normal event of its stream. */
export function readEventError(event: { readonly code?: string | null; readonly message?: string }): ProviderFailure {
  const codes = event.code ? [event.code] : [];
  return { kind: "answer", status: statusOf(codes), codes, text: event.message ?? "" };
}

function readAnswer(error: Error): ProviderFailure {
  const {
    status,
    headers,
    error: body,
  } = error as Error & {
    readonly status?: number;
    readonly headers?: HeaderReader;
    readonly error?: unknown;
  };
  const inner = fieldsOf(fieldsOf(body)["error"] ?? body);
  const codes = [inner["code"], inner["type"]].filter((code) => typeof code === "string");
  const numericCode = typeof inner["code"] === "number" ? inner["code"] : undefined;
  const text =
    [inner["message"], inner["detail"], body].find((value) => typeof value === "string") ??
    withoutStatus(error.message);
  return { kind: "answer", status: status ?? numericCode ?? statusOf(codes), codes, text, headers, cause: error };
}

// Returns an SDK's message without the status before it, and without "status code (no body)", the SDK's text for an empty body.
function withoutStatus(message: string): string {
  return message.replace(/^\d{3} (status code \(no body\))?/, "");
}

function statusOf(codes: readonly string[]): number | undefined {
  return codes.map((code) => statusByCode[code]).find((status) => status !== undefined);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

// Returns the message of an error; "" for a JSON parser's error, because its message quotes the model's reply.
function plainText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.name === "SyntaxError" ? "" : error.message;
}

// Returns the cause's message, such as "connect ECONNREFUSED 127.0.0.1:11434", instead of "Connection error." or "fetch
// failed".
function rootText(error: Error): string {
  const cause = fieldsOf(error.cause);
  const next = fieldsOf(cause["cause"] ?? cause);
  return typeof next["message"] === "string" ? next["message"] : error.message;
}
