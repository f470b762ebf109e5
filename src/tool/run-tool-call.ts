// Runs one tool call and converts every outcome to a result that the model can act on.
// Invariant: it never throws: an unknown name, invalid arguments, an exception and an interruption are results too.
import { jsonrepair } from "jsonrepair";
import { isObject, parseJson } from "../base/json-values.ts";
import { codePointLength, takeCodePoints } from "../base/code-points.ts";
import { messageOf } from "../base/thrown-values.ts";
import { ToolError } from "../base/errors.ts";
import type { FileInput } from "../base/message/file-part.ts";
import type { PrintedOutput, ToolCallPart } from "../base/message/message.ts";
import { untilAborted } from "../base/waiting.ts";
import { ResultWithFiles } from "./result-with-files.ts";
import type { Tool, ToolContext } from "./tool.ts";

export interface ToolOutcome {
  readonly status: "ok" | "failed" | "interrupted";
  readonly text: string;
  /** Files that the tool returned; their content is not loaded yet. */
  readonly files?: readonly FileInput[];
  readonly printed?: PrintedOutput;
}

export interface ToolRun {
  readonly call: ToolCallPart;
  readonly tools: readonly Tool[];
  readonly context: ToolContext;
  /** Whether the reply that contains the call was truncated. */
  readonly cut: boolean;
  /** Maximum code points of a result; the rest is cut with a note. */
  readonly resultLimit: number;
  /** Names of the arguments that a protocol adds to each tool, such as `request_heartbeat`; removed before the tool runs. */
  readonly reservedParameters: readonly string[];
}

export async function runToolCall(run: ToolRun): Promise<ToolOutcome> {
  const { call, tools, context } = run;
  const tool = tools.find((candidate) => candidate.name === call.name);
  if (tool === undefined) {
    const names = tools.map((candidate) => candidate.name).join(", ");
    return { status: "failed", text: `No function named ${call.name}. Available functions: ${names || "none"}.` };
  }
  const resultLimit = Math.min(run.resultLimit, tool.resultLimit ?? Infinity);
  try {
    const own = ownArguments(run);
    const output = await abortable(() => tool.run(tool.parameters.parse(own), context), context.signal);
    if (output instanceof PrintedResult)
      return { status: output.status, text: cutResult(output.text, resultLimit), ...keptOutput(output.printed) };
    const { text: returned, files } = output instanceof ResultWithFiles ? output : { text: output, files: [] };
    const text = outputText(returned);
    const shown = tool.wholeResult ? text : cutResult(text, resultLimit);
    return { status: "ok", text: shown, ...(files.length === 0 ? {} : { files }) };
  } catch (error) {
    if (context.signal.aborted) return interruptedOutcome(tool.name);
    return { status: "failed", text: cutResult(failureText(tool.name, error), resultLimit) };
  }
}

/** Maximum stored code points, each of stdout and stderr. */
const printedLimit = 10_000;

/** A result with printed output, of the runtime's tools only; a class, so that no tool's JSON can be mistaken for it. */
export class PrintedResult {
  readonly status: "ok" | "failed";
  readonly text: string;
  readonly printed: PrintedOutput;

  constructor(status: "ok" | "failed", text: string, printed: PrintedOutput) {
    this.status = status;
    this.text = text;
    this.printed = printed;
  }
}

/** Returns the output to store, cut at the limit; no field if nothing was printed. */
export function keptOutput({ stdout, stderr }: PrintedOutput): { readonly printed?: PrintedOutput } {
  if (stdout === "" && stderr === "") return {};
  return { printed: { stdout: cutResult(stdout, printedLimit), stderr: cutResult(stderr, printedLimit) } };
}

export interface PreviewedCall extends Pick<ToolRun, "resultLimit"> {
  readonly tool: Tool | undefined;
  /** The validated arguments: the result of `parameters.parse`. */
  readonly args: unknown;
  readonly signal: AbortSignal;
}

/** Returns the tool's preview, null for a tool without one, or the call's result if the preview fails. */
export async function previewToolCall(call: PreviewedCall): Promise<string | null | ToolOutcome> {
  const { tool, args, signal, resultLimit } = call;
  if (tool?.preview === undefined) return null;
  const { name, preview } = tool;
  try {
    return cutResult(String(await abortable(() => preview(args), signal)), resultLimit);
  } catch (error) {
    if (signal.aborted) return interruptedOutcome(name);
    return { status: "failed", text: cutResult(failureText(name, error), resultLimit) };
  }
}

/** Returns the arguments, not validated, without `reservedParameters`. Throws ToolError if they are not a JSON object. */
export function ownArguments(
  run: Pick<ToolRun, "call" | "cut" | "reservedParameters">,
): Readonly<Record<string, unknown>> {
  const { call, cut } = run;
  const written = parseArguments({ toolName: call.name, text: call.arguments, cut });
  const reserved = new Set(run.reservedParameters);
  return Object.fromEntries(Object.entries(written).filter(([key]) => !reserved.has(key)));
}

export function interruptedOutcome(toolName: string): ToolOutcome {
  return {
    status: "interrupted",
    text: `${toolName} was interrupted before it finished: it may or may not have had an effect.`,
  };
}

/** Returns the text of a result. A text over the limit is cut to its beginning, with MemGPT's note. */
export function cutResult(text: string, limit: number): string {
  const length = codePointLength(text);
  if (length <= limit) return text;
  return `${takeCodePoints(text, limit)}... [NOTE: function output was truncated since it exceeded the character limit (${length} > ${limit})]`;
}

function outputText(output: unknown): string {
  if (output === undefined || output === null) return "None";
  // A function or a symbol has no JSON form.
  return typeof output === "string" ? output : (JSON.stringify(output) ?? `(${typeof output})`);
}

function failureText(toolName: string, error: unknown): string {
  if (error instanceof ToolError) return error.message;
  return `Error calling function ${toolName}: ${messageOf(error)}`;
}

// Rejects as soon as the signal is aborted: a tool that ignores its signal must not delay the end of an interrupted turn.
function abortable(run: () => unknown, signal: AbortSignal): Promise<unknown> {
  signal.throwIfAborted();
  return untilAborted(Promise.resolve().then(run), signal);
}

interface ArgumentsText {
  readonly toolName: string;
  readonly text: string;
  /** Whether the reply was truncated (length, broken stream), so that its last call may be incomplete. */
  readonly cut: boolean;
}

/** Parses the arguments of a call, which `repairArguments` has repaired. Throws ToolError for a text that is not a JSON object. */
function parseArguments({ toolName, text, cut }: ArgumentsText): Readonly<Record<string, unknown>> {
  const value = parseJson(text);
  if (value === undefined) {
    const reason = cut ? "the reply was truncated" : "it is not valid JSON";
    throw new ToolError(
      `Error parsing JSON for function '${toolName}' arguments: ${reason}. Nothing was done. Got: ${clip(text)}`,
    );
  }
  if (!isObject(value)) {
    throw new ToolError(
      `Error parsing JSON for function '${toolName}' arguments: expected an object, got ${clip(text.trim())}. Nothing was done.`,
    );
  }
  return value;
}

function clip(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200).toWellFormed()}…` : text;
}

/**
 * Returns the arguments of a complete reply with small mistakes repaired (trailing commas, single quotes, raw newlines).
 * Returns `{}` for a blank text. A text that is valid or cannot be repaired is returned unchanged. The repaired text is
 * stored, so that all readers of the call see the arguments that the tool was given.
 */
export function repairArguments(text: string): string {
  if (parseJson(text) !== undefined) return text;
  const trimmed = text.trim();
  if (trimmed === "") return "{}";
  // Repairs only an object that has its closing brace, because a repair would also complete truncated JSON.
  const isEnclosed = trimmed.startsWith("{") && trimmed.endsWith("}");
  return isEnclosed ? (repaired(trimmed) ?? text) : text;
}

function repaired(text: string): string | null {
  try {
    const json = jsonrepair(text);
    return parseJson(json) === undefined ? null : json;
  } catch {
    return null;
  }
}
