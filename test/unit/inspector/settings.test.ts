// Settings of an agent as texts, and the tools that it has or can have.
import { changedSettings, settingText, settingWords } from "../../../src/surfaces/inspector/settings/setting-texts.ts";
import { programTools } from "../../../src/surfaces/inspector/tools/program-tools.ts";

const stored = { maxSteps: 50, model: "a", limit: null, rules: [{ tool: "x" }], isOn: true };

test("a text is read back as its value; what is unchanged is not sent", () => {
  const texts = Object.fromEntries(Object.entries(stored).map(([key, value]) => [key, settingText(value)]));
  expect(changedSettings(stored, texts)).toEqual({});
  expect(
    changedSettings(stored, { ...texts, maxSteps: "7", model: "7", limit: "openai/x", rules: "[]", isOn: "false" }),
  ).toEqual({ maxSteps: 7, model: "7", limit: "openai/x", rules: [], isOn: false });
  // The server says what is wrong with it.
  expect(changedSettings(stored, { maxSteps: "many" })).toEqual({ maxSteps: "many" });
  expect(settingWords("toolResultLimit")).toBe("tool result limit");
});

test("tools that the agent lacks are there if it could have them, each under the setting that changes it", () => {
  const tool = (name: string, isOptional = false) => ({
    name,
    isOptional,
    description: "",
    parameters: {},
    needsFiles: false,
    origin: "runtime" as const,
  });
  const all = [tool("send"), tool("forget"), tool("of_other_class"), tool("insert", true), tool("rethink", true)];
  const choice = { removedTools: ["forget"], addedTools: ["insert"] };
  const found = programTools([tool("send"), tool("insert", true)], all, choice);
  expect(found.map(({ name, isOn, setting }) => [name, isOn, setting])).toEqual([
    ["send", true, "removedTools"],
    ["insert", true, "addedTools"],
    ["forget", false, "removedTools"],
    ["rethink", false, "addedTools"],
  ]);
});
