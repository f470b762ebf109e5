// Whatever the rows are in, the next request is one that every provider takes: histories grown at random, with turns that
// were broken off anywhere, branches, compactions, events, and texts and ids of the worst kinds.
import fc from "fast-check";
import { heartbeatProtocol } from "../../../src/agent/protocol/heartbeat.ts";
import { nativeProtocol } from "../../../src/agent/protocol/native.ts";
import { compileContext } from "../../../src/context/window/compile-context.ts";
import type { SummaryState } from "../../../src/context/compaction/summary-text.ts";
import { toAnthropicRequest } from "../../../src/model/llm/anthropic/to-request.ts";
import type { ModelRequest } from "../../../src/model/llm/model.ts";
import { toChatRequest } from "../../../src/model/llm/openai/to-chat-request.ts";
import { toResponsesRequest } from "../../../src/model/llm/openai/to-responses-request.ts";
import type { StoredMessage } from "../../../src/store/port/records.ts";
import type { ContentPart } from "../../../src/base/message/message.ts";
import { anyReply, anyText } from "../../support/generated-turns.ts";
import { checkBody } from "../../support/journal-checks.ts";
import { storedMessage } from "../../support/messages.ts";
import { windowBudget, windowState } from "../../support/window-state.ts";

/** The part of a conversation that a window is made from. */
interface History {
  readonly thread: readonly StoredMessage[];
  readonly summaries: readonly SummaryState[];
}

type Change = (history: History) => History;

const add =
  (...messages: readonly StoredMessage[]): Change =>
  ({ thread, summaries }) => ({ thread: [...thread, ...messages], summaries });

const input = anyText.map((text): Change => add(storedMessage({ role: "user", content: [{ type: "text", text }] })));
const event = anyText.map(
  (text): Change => add(storedMessage({ role: "user", kind: "event", content: [{ type: "text", text }] })),
);

/** A reply and the results that were stored before the turn was broken off, if it was. */
const step = fc
  .tuple(anyReply, fc.constantFrom("all", "some", "none"), anyText, fc.boolean())
  .map(([reply, answered, text, isInterrupted]): Change => {
    const thought = reply.thought === null ? [] : [{ type: "thought" as const, ...reply.thought }];
    const content: readonly ContentPart[] = [
      ...thought.map(({ signature, ...part }) => (signature === null ? part : { ...part, signature })),
      ...reply.texts.map((said) => ({ type: "text" as const, text: said })),
      ...reply.calls.map((call) => ({ type: "tool-call" as const, ...call })),
    ];
    const kept = { all: reply.calls.length, some: Math.floor(reply.calls.length / 2), none: 0 }[answered];
    const results = reply.calls.slice(0, kept).map(({ callId, name }, at) => {
      const status = at % 2 === 0 ? ("ok" as const) : ("failed" as const);
      return storedMessage({ role: "tool", content: [{ type: "tool-result", callId, name, status, text }] });
    });
    return add(
      storedMessage({ role: "assistant", content, status: isInterrupted ? "interrupted" : "complete" }),
      ...results,
    );
  });

/** Rows that nothing of ours writes, but a restore or another program might have. */
const stray = fc
  .tuple(fc.constantFrom("call_1", "", "nobody's"), anyText)
  .map(
    ([callId, text]): Change =>
      add(storedMessage({ role: "tool", content: [{ type: "tool-result", callId, name: "x", status: "ok", text }] })),
  );
const empty = fc
  .constantFrom("user" as const, "assistant" as const, "tool" as const)
  .map((role): Change => add(storedMessage({ role, content: [] })));

/** Going back to any message, which begins a branch. */
const branch = fc.nat(30).map(
  (back): Change =>
    ({ thread, summaries }) => ({ thread: thread.slice(0, Math.max(0, thread.length - back)), summaries }),
);

function nextSummary(
  summaries: readonly SummaryState[],
  { text, messages }: { readonly text: string; readonly messages: number },
): SummaryState {
  const cut = summaries.at(-1)?.throughPosition ?? 0;
  return { text, throughPosition: cut + messages };
}

/** A summary in place of what came first, wherever that is cut. */
const compaction = fc.tuple(fc.nat(30), anyText).map(
  ([kept, text]): Change =>
    ({ thread, summaries }) => ({
      thread: thread.slice(Math.max(0, thread.length - kept)),
      summaries: [...summaries, nextSummary(summaries, { text, messages: Math.max(1, thread.length - kept) })],
    }),
);

const history = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: step },
      { weight: 3, arbitrary: input },
      { weight: 1, arbitrary: event },
      { weight: 1, arbitrary: stray },
      { weight: 1, arbitrary: empty },
      { weight: 1, arbitrary: branch },
      { weight: 1, arbitrary: compaction },
    ),
    { maxLength: 20 },
  )
  .map((changes) => changes.reduce<History>((grown, change) => change(grown), { thread: [], summaries: [] }));

const origin = "openai/fuzz";

/** What is wrong with the request for each wire format. */
function problemsOf(request: ModelRequest): readonly string[] {
  const openai = { model: "fuzz", limitField: "max_tokens", stateChannel: "joined" } as const;
  return [
    ...checkBody("anthropic", toAnthropicRequest(request, { model: "fuzz", origin: "anthropic/fuzz" })),
    ...checkBody("chat", toChatRequest(request, openai)),
    ...checkBody("responses", toResponsesRequest(request, { model: "fuzz", origin })),
  ];
}

test.each([
  ["native", nativeProtocol],
  ["heartbeat", heartbeatProtocol],
])("a window of any stored history is a valid request (%s)", (_name, protocol) => {
  fc.assert(
    fc.property(history, ({ thread, summaries }) => {
      const state = windowState({
        summaries,
        // What is sent follows an input, or the results of a step.
        messages: [...thread, storedMessage({ role: "user", content: [{ type: "text", text: "Go on." }] })],
        render: (message: StoredMessage) => protocol.render(message, "UTC"),
      });
      const compiled = compileContext(state, windowBudget());
      expect(problemsOf({ ...compiled, tools: [], maxOutputTokens: 100 })).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
