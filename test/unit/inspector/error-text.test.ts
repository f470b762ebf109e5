// Messages of the server as a page says them.
import { pageText } from "../../../src/surfaces/inspector/session/error-text.ts";

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
  expect(pageText(message)).toBe(said);
});
