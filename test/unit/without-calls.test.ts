// Texts of errors without the functions of the library.
import { withoutCalls } from "../../src/base/without-calls.ts";

test.each([
  ['There is no agent "x". `runtime.agents.list()` lists your agents.', 'There is no agent "x".'],
  ["It has no id; `runtime.conversations.branches()` lists them.", "It has no id."],
  [
    "The window is full. Shorten its modules (`runtime.memory.set()`) or the prompt.",
    "The window is full. Shorten its modules or the prompt.",
  ],
  ["Set `openaiApiKey`. Then try again.", "Set `openaiApiKey`. Then try again."],
  // Nothing else would be left.
  ["`agent.stop()` failed", "`agent.stop()` failed"],
  ["", ""],
])("%s", (message, said) => {
  expect(withoutCalls(message)).toBe(said);
});
