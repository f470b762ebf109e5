// The results of the tools: a text for the model, and the same content as data.
// Invariant: a failure that the model can act on is a result, never an error of the protocol.
import type { CallToolResult } from "@modelcontextprotocol/server";
import * as z from "zod";
import { RuntimeError } from "../../base/errors.ts";
import type { UserRuntime } from "../../runtime/runtime.ts";
import type { MemoryServerOptions } from "./connection.ts";

export type Structured = Readonly<Record<string, unknown>>;

export function result(text: string, structured: Structured): CallToolResult {
  return { content: [{ type: "text", text }], structuredContent: { ...structured } };
}

/**
 * Runs a tool when the store is open, and returns its result. A RuntimeError becomes a failed result; any other error is
 * thrown.
 */
export async function answered(
  { runtime, words }: Pick<MemoryServerOptions, "runtime" | "words">,
  work: (runtime: UserRuntime) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  try {
    return await work(await runtime);
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error;
    return { content: [{ type: "text", text: words(error) }], isError: true };
  }
}

/** Returns the parameter that names an agent. The tool uses this agent's memory. */
export const agentParameter = (agent: string) =>
  z.string().min(1).optional().describe(`The agent whose memory is meant. Default: ${agent}.`);
