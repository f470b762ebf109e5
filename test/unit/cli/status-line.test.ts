// The user's own status line: a template, or a command.
import { createStatusLine } from "../../../src/surfaces/cli/chat/status-line.ts";

const facts = {
  agent: "sam",
  model: "openai/gpt-5",
  conversation: "01941f29",
  windowTokens: 16384,
  windowLimit: 32768,
  windowPercent: 50,
  inputTokens: 1200,
  outputTokens: 30,
  cost: 0.0123,
  approvals: "ask",
} as const;
const made = (setting: string, given: Readonly<Record<string, string | number | null>> = facts) =>
  createStatusLine(setting, "/bin/sh")(given);

test.each([
  ["{agent} · {windowPercent}% of {windowLimit} · ${cost}", "sam · 50% of 32,768 · $0.0123"],
  ["{unknown} {__proto__} { agent }", "{unknown} {__proto__} { agent }"],
  ["!printf 'one\\ntwo\\n'", "one"],
  ["! cat", JSON.stringify(facts)],
  ["!true", ""],
])("%j makes %j", async (setting, expected) => {
  expect(await made(setting)).toBe(expected);
});

test("an unknown cost is left out, and a failed command says why", async () => {
  expect(await made("[{cost}]", { ...facts, cost: null })).toBe("[]");
  await expect(made("!echo broken; exit 3")).rejects.toThrow("exit code 3: broken");
  await expect(made("!exit 2")).rejects.toThrow("exit code 2");
});
