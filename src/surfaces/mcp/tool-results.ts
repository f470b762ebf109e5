// Builds the results of tools (a text for the model, and the same content as data) and the errors of prompts and resources.
// Invariant: a failure of a tool that the model can act on is a result, never an error of the protocol.
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import * as z from "zod";
import { RuntimeError } from "../../base/errors.ts";
import type { UserRuntime } from "../../runtime/runtime.ts";
import type { MemoryServerOptions } from "./connection.ts";

export function result(text: string, structuredContent: Record<string, unknown>): CallToolResult {
  return { content: [{ type: "text", text }], structuredContent };
}

type Failing = Pick<MemoryServerOptions, "runtime" | "words" | "onFailure">;

/** Runs a tool when the store is open, and returns its result. An error becomes a failed result. */
export async function answered(
  connection: Failing,
  work: (runtime: UserRuntime) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  try {
    return await work(await connection.runtime);
  } catch (error) {
    return { content: [{ type: "text", text: failureText(connection, error) }], isError: true };
  }
}

/** Reads a prompt or a resource when the store is open. An error becomes an error of the protocol, in the client's words. */
export async function readOut<Content>(
  connection: Failing,
  work: (runtime: UserRuntime) => Promise<Content>,
): Promise<Content> {
  try {
    return await work(await connection.runtime);
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    throw new ProtocolError(ProtocolErrorCode.InternalError, failureText(connection, error));
  }
}

/** Reports a failure, and returns its text for the client. Without `onFailure`, throws an unexpected error instead. */
function failureText({ words, onFailure }: Failing, error: unknown): string {
  onFailure?.(error);
  if (error instanceof RuntimeError) return words(error);
  if (onFailure === undefined) throw error;
  return "The server failed. Its log has the error.";
}

/** Returns the parameter that names an agent. The tool uses this agent's memory. */
export const agentParameter = (agent: string) =>
  z.string().min(1).optional().describe(`The agent whose memory is meant. Default: ${agent}.`);
