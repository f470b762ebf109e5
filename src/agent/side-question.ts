// Answers a question from the current window, outside of the conversation.
// Invariant: nothing is written and no tool runs: no message, no step, no change of memory.
import { requireLength } from "./opening/send-input.ts";
import { escapeMessage } from "../base/message/reserved-tags.ts";
import { LimitError, RequestError } from "../base/errors.ts";
import type { ModelRequest } from "../model/llm/model.ts";
import type { StoredMessage } from "../store/port/records.ts";
import { noUsage, textOf, toolCallsOf, type Usage } from "../base/message/message.ts";
import { loadPrompt } from "../context/prompts/load-prompt.ts";
import type { SideAnswer } from "./agent-results.ts";
import { taggedEntry } from "../context/window/state-entries.ts";
import { offeredTools, overflowMessage, stateKeyOf } from "./fit-context.ts";
import type { AgentDeps } from "./turn.ts";
import { createReplyParts } from "./stream-reply.ts";
import { currentWindow } from "./window-view.ts";

/** Minimum tokens that must remain for the answer. */
const minAnswerTokens = 64;

/**
 * Returns the model's answer to the question. Throws RequestError `input_invalid`, `message_too_long` or `context_overflow`,
 * `message_refused` if the model did not answer, LimitError and ModelError.
 */
export async function answerSideQuestion(deps: AgentDeps, question: string, signal?: AbortSignal): Promise<SideAnswer> {
  if (question.trim() === "")
    throw new RequestError("input_invalid", "Expected a question with some text in it, got a blank one.");
  requireLength(question);
  const reached = await deps.host.turns.reachedLimit(deps.agent.model);
  if (reached !== null) throw new LimitError(reached);
  const { models, protocol } = deps;
  const model = models.answering;
  await model.prepare?.(signal);
  const reply = createReplyParts();
  let usage: Usage = noUsage;
  for await (const event of model.stream(requestOf(deps, question), signal === undefined ? {} : { signal })) {
    if (event.type === "end") ({ usage } = event);
    reply.add(event);
  }
  const message = { role: "assistant", content: reply.all() } as const;
  const text = protocol.visibleTextOf(message).trim() || textOf(message).trim();
  if (text !== "") return { text, usage };
  const names = [...new Set(toolCallsOf(message).map(({ name }) => name))];
  const instead = names.length === 0 ? "said nothing" : `wanted to call ${names.join(", ")}, which was not run`;
  throw new RequestError("message_refused", `The model gave no answer: it ${instead}. Send the question as a message.`);
}

function requestOf(deps: AgentDeps, question: string): ModelRequest {
  const { agent, window, memories, conversationId } = deps;
  const { countTokens, calibration } = window;
  const { system, messages, retrieved, state, report } = currentWindow(deps);
  if (report.overflow !== null) throw new RequestError("context_overflow", overflowMessage(report.overflow));
  const note = loadPrompt("side-question");
  const questionTokens = calibration.scale.reported(countTokens(question) + countTokens(note));
  const room = report.window - report.total - questionTokens;
  if (room < minAnswerTokens) {
    throw new RequestError(
      "context_overflow",
      `The question takes ${questionTokens} tokens, and ${report.total} of the window's ${report.window} are used, which leaves too few for an answer. Shorten the question, or compact the window.`,
    );
  }
  const asked = escapeMessage(window.render(messageOf(deps, question)));
  const statement = {
    type: "state",
    text: taggedEntry(stateKeyOf(deps.session), [state, note].join("\n").trim()),
  } as const;
  const looked = retrieved === "" ? [] : [{ type: "state", text: retrieved, isMaterial: true } as const];
  return {
    system,
    messages: [...messages, { ...asked, content: [...asked.content, ...looked, statement] }],
    // The tools are sent although none may run: a request without them would not match the prefix in the provider's cache.
    tools: offeredTools(deps),
    maxOutputTokens: Math.min(agent.settings.maxOutputTokens, room),
    cacheKey: conversationId,
    loadFile: memories.attachments.load,
  };
}

/** Returns the question as a message, which is not stored. */
function messageOf({ ids, clock }: Pick<AgentDeps, "ids" | "clock">, question: string): StoredMessage {
  const id = ids.next();
  const content = [{ type: "text", text: question }] as const;
  const place = { id, parentId: null, turnId: id, tokens: 0, at: clock.now() };
  return { ...place, role: "user", kind: "message", status: "complete", content, text: question, trust: "user" };
}
