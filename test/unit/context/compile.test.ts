// What the model is sent: the prompt with its memory, the summary (C24), and a history that every provider accepts.
import fc from "fast-check";
import { compileContext, type ContextState, memoryMarker } from "../../../src/context/window/compile-context.ts";
import { stateNote } from "../../../src/context/window/state-entries.ts";
import { checkRequest } from "../../support/check-request.ts";
import { textOf } from "../../../src/base/message/message.ts";
import { loadPrompt } from "../../../src/context/prompts/load-prompt.ts";
import { calling, resultOf, storedMessage } from "../../support/messages.ts";
import { windowBudget, windowState } from "../../support/window-state.ts";

function compile(state: Partial<ContextState>) {
  return compileContext(windowState(state), windowBudget());
}

test("memory follows the prompt, or replaces its marker; other braces stay", () => {
  const note = stateNote(loadPrompt("state-note"), "k1");
  expect(compile({}).system).toEqual({ instructions: "Be kind.", memory: `${note}\n<human>\nAda\n</human>` });
  const marked = compile({ systemPrompt: `Answer as {"json": true}.\n${memoryMarker}\nThe end {x}.` }).system;
  expect(marked.instructions).toBe('Answer as {"json": true}.');
  expect(marked.memory).toBe(`${note}\n<human>\nAda\n</human>\nThe end {x}.`);
});

test("a state entry ends its message, marked with the key", () => {
  const stated = { text: "Now: today" };
  const { messages, report } = compile({
    messages: [storedMessage({ role: "user", stated }), storedMessage({ role: "assistant" })],
  });
  expect(messages.map(({ role, content }) => [role, content.map(({ type }) => type)])).toEqual([
    ["user", ["text", "state"]],
    ["assistant", ["text"]],
  ]);
  expect(messages[0]?.content[1]).toEqual({
    type: "state",
    text: '<current_state key="k1">\nNow: today\n</current_state>',
  });
  const without = compile({ messages: [storedMessage({ role: "user" }), storedMessage({ role: "assistant" })] }).report;
  expect(report.total).toBeGreaterThan(without.total);
});

const summary = (text: string) => ({ text, throughPosition: 3 });

test("C24 the summary comes first, as a message of its own after a note that messages are hidden", () => {
  const messages = [storedMessage({ role: "user" }), storedMessage({ role: "assistant" })];
  const sent = compile({ summaries: [summary("We talked about sailing.")], messages }).messages;
  expect(sent.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  const [note, text] = sent.map(textOf);
  expect(note).toMatch(/^Note: prior messages have been hidden from view.* summary of them/);
  expect(text).toBe("We talked about sailing.");
});

test("the report counts each part, and its total is their sum", () => {
  const { report } = compile({ messages: [storedMessage({ role: "user" })], summaries: [summary("s")] });
  const { system, working, archive } = report.tiers;
  for (const { tokens, parts } of [system, working, archive]) {
    expect(tokens).toBe(Object.values(parts).reduce((sum, part) => sum + part, 0));
  }
  expect(report.total).toBe(system.tokens + working.tokens + archive.tokens);
  expect(working.parts).toEqual({ turn: 0, recentTurns: 10 });
  expect(archive.tokens).toBeGreaterThan(0);
});

test("a call without a result gets one, and a result without a call is left out, whatever the thread holds", () => {
  const piece = fc.oneof(
    fc.constant(() => storedMessage({ role: "user" })),
    fc.constant(() => storedMessage({ role: "assistant" })),
    fc.subarray(["a", "b", "c"], { minLength: 1 }).map((ids) => () => calling(...ids)),
    fc.constantFrom("a", "b", "c").map((id) => () => resultOf(id)),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const messages = [storedMessage({ role: "user" }), ...pieces.map((make) => make())];
      const compiled = compile({ messages });
      expect(checkRequest({ ...compiled, tools: [], maxOutputTokens: 1 })).toEqual([]);
    }),
  );
});
