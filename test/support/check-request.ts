// Checks the rules for model requests, on what a scripted model received.
// Invariant: every adapter accepts a request without violations unchanged, without repair.
import { appendAll } from "../../src/base/lists.ts";
import { type Message, type ToolResultPart, toolCallsOf } from "../../src/base/message/message.ts";
import type { ModelRequest } from "../../src/model/llm/model.ts";

/**
 * Returns the violations of each request, as sentences that begin with the request's number (from 1); empty if there
 * are none.
 */
export const journalChecks = (requests: readonly ModelRequest[]): readonly string[] =>
  requests.flatMap((request, index) => checkRequest(request).map((violation) => `request ${index + 1}: ${violation}`));

/** Returns the violations of one request. */
export function checkRequest({ messages }: ModelRequest): readonly string[] {
  if (messages.length === 0) return ["there are no messages"];
  const first = messages[0]?.role === "user" ? [] : [`the first message is of role "${messages[0]?.role}", not "user"`];
  return [...first, ...messages.flatMap((message, index) => checkMessage(message, index, messages))];
}

function checkMessage(message: Message, index: number, messages: readonly Message[]): readonly string[] {
  const where = `message ${index + 1}`;
  const problems = [...emptyContent(message), ...misplacedParts(message), ...duplicateCalls(message)];
  if (message.role === "assistant") appendAll(problems, unansweredCalls(message, resultsAfter(messages, index)));
  if (message.role === "tool") appendAll(problems, orphanResults(message, callerOf(messages, index)));
  return problems.map((problem) => `${where} ${problem}`);
}

function emptyContent({ content }: Message): string[] {
  if (content.length === 0) return ["has no content"];
  return content.some((part) => part.type === "text" && part.text.trim() === "") ? ["has an empty text"] : [];
}

const allowedParts: Readonly<Record<Message["role"], readonly string[]>> = {
  user: ["text", "file", "state"],
  assistant: ["text", "thought", "tool-call"],
  tool: ["tool-result", "state"],
};

const misplacedParts = ({ role, content }: Message): string[] =>
  content
    .filter((part) => !allowedParts[role].includes(part.type))
    .map((part) => `of role "${role}" holds a ${part.type}`);

function duplicateCalls(message: Message): string[] {
  const ids = toolCallsOf(message).map((call) => call.callId);
  const twice = new Set(ids.filter((id, at) => ids.indexOf(id) !== at));
  return [...twice].map((id) => `calls a tool twice under the id "${id}"`);
}

function unansweredCalls(message: Message, results: readonly ToolResultPart[]): string[] {
  return toolCallsOf(message).flatMap(({ callId }) => {
    const count = results.filter((result) => result.callId === callId).length;
    if (count === 1) return [];
    return [count === 0 ? `has no result right after its call "${callId}"` : `has ${count} results for "${callId}"`];
  });
}

function orphanResults(message: Message, caller: Message | undefined): string[] {
  const called = new Set(caller === undefined ? [] : toolCallsOf(caller).map((call) => call.callId));
  return resultsOf(message)
    .filter(({ callId }) => !called.has(callId))
    .map(({ callId }) => `has a result "${callId}" without a call right before it`);
}

function resultsAfter(messages: readonly Message[], index: number): readonly ToolResultPart[] {
  const rest = messages.slice(index + 1);
  const end = rest.findIndex((message) => message.role !== "tool");
  return (end === -1 ? rest : rest.slice(0, end)).flatMap(resultsOf);
}

function callerOf(messages: readonly Message[], index: number): Message | undefined {
  const before = messages.slice(0, index).findLast((message) => message.role !== "tool");
  return before?.role === "assistant" ? before : undefined;
}

function resultsOf(message: Message): readonly ToolResultPart[] {
  return message.content.filter((part) => part.type === "tool-result");
}
