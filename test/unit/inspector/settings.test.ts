// Settings of an agent as texts, and the tools that it has or can have.
import { agentKeys, settings } from "../../../src/config/settings.ts";
import { settingGroups, settingTable } from "../../../src/surfaces/inspector/settings/setting-groups.ts";
import { refusalText } from "../../../src/surfaces/inspector/settings/setting-refusal.ts";
import { fieldTexts, valueOf, valueText } from "../../../src/surfaces/inspector/settings/setting-texts.ts";
import { programTools } from "../../../src/surfaces/inspector/tools/program-tools.ts";

const entries = settingGroups.flatMap(({ common, rare }) => [...common, ...rare]);
const entryOf = (name: string) => entries.find((entry) => entry.name === name)!;

test("every setting that an agent stores is on the page once, with its default", () => {
  expect(entries.map(({ name }) => name).toSorted()).toEqual(
    [
      ...agentKeys,
      "removedTools",
      "addedTools",
      "toolRules",
      "name",
      "description",
      "systemPrompt",
      "model",
    ].toSorted(),
  );
  for (const key of agentKeys.filter((each) => each !== "timeZone")) {
    expect([key, settingTable[key].default]).toEqual([key, settings[key].default]);
  }
});

test("every default is a text in fields, and is read back from it", () => {
  for (const { name, control, default: usual } of entries) {
    if (usual === undefined || ["switch", "choice", "tools"].includes(control.kind)) continue;
    expect([name, valueOf(control, fieldTexts(control, usual))]).toEqual([name, usual]);
    expect(valueText(entryOf(name), usual)).not.toBe("");
  }
});

test("values are in words", () => {
  const text = (name: string, value: unknown): string => valueText(entryOf(name), value);
  expect(text("name", "main")).toBe("main");
  expect(text("approvals", ["one", "two"])).toBe("one, two");
  expect(text("warnAt", 0.07)).toBe("7 %");
  expect(text("maxSteps", 1)).toBe("1 model call");
  expect(text("ringEntries", 2000)).toBe("2,000 summaries");
  expect(text("approvalTimeout", null)).toBe("Never denied");
  expect(text("approvalTimeout", 86_401)).toBe("Denied after 86,401 seconds");
  expect(text("consolidationIdleMinutes", 1.5)).toBe("After 1.5 minutes");
  expect(text("consolidationIdleMinutes", 120)).toBe("After 2 hours");
  expect(text("temperature", null)).toBe("The provider's");
  expect(text("synopsisLifetimes", { identity: 604_800, context: 3600 })).toBe(
    "Who you are 7 days; What you do now 1 hour",
  );
  expect(text("retention", {})).toBe("Everything");
  expect(text("retention", { steps: { days: 1 } })).toBe("Model calls, age 1 day");
});

test("fields are read as values; what is not a number is sent, so that the server says what it expects", () => {
  const value = (name: string, ...texts: readonly string[]): unknown => valueOf(entryOf(name).control, texts);
  expect(value("compactAt", "7")).toBe(0.07);
  expect(value("maxSteps", "1,000")).toBe(1000);
  expect(value("maxSteps", "many")).toBe("many");
  expect(value("maxSteps", "")).toBe("");
  expect(value("maxTurnTokens", " ")).toBeNull();
  expect(value("approvalTimeout", "2 hour")).toBe(7200);
  expect(value("consolidationIdleMinutes", "2 hour")).toBe(120);
  expect(value("consolidationIdleMinutes", " minute")).toBeNull();
  expect(value("approvals", "one, two,")).toEqual(["one", "two"]);
  expect(value("toolRules", "max-count-per-turn\n a \ntwo", "parent-last-tool\na\nb, c")).toEqual([
    { type: "max-count-per-turn", tool: "a", count: Number.NaN },
    { type: "parent-last-tool", tool: "a", children: ["b", "c"] },
  ]);
  expect(value("retention", "", "2", "", "", "", "", "")).toEqual({ messages: { megabytes: 2 } });
});

test("a rule becomes the text of a row and is the same when it is read", () => {
  const rules = [
    { type: "run-first", tool: "a" },
    { type: "exit-loop", tool: "a" },
    { type: "continue-loop", tool: "a" },
    { type: "constrain-child-tools", tool: "a", children: ["b", "c"] },
    { type: "conditional", tool: "a", children: { yes: "b", "x = y\n\\n ": "c", "": "d" }, otherwise: "e" },
    { type: "conditional", tool: "a", children: {} },
    { type: "max-count-per-turn", tool: "a", count: 2 },
    { type: "parent-last-tool", tool: "a", children: ["b"] },
    { type: "required-before-exit", tool: "a" },
    { type: "requires-approval", tool: "a" },
  ];
  const { control } = entryOf("toolRules");
  const texts = fieldTexts(control, rules);
  expect(texts[4]).toBe(String.raw`conditional
a
yes = b
x = y\n\\n  = c
 = d
e`);
  expect(valueOf(control, texts)).toEqual(rules);
  expect(valueOf(control, ["conditional\na\nyes=b\n\n"])).toEqual([
    { type: "conditional", tool: "a", children: { yes: "b" } },
  ]);
});

test("a refusal is in the words and units of the page", () => {
  const said = (name: string, message: string) => refusalText(message, entryOf(name));
  expect(said("maxSteps", "maxSteps: expected a whole number from 1 to 10000000, got 0.")).toBe(
    "Expected a whole number from 1 to 10,000,000, got 0.",
  );
  expect(said("compactAt", "compactAt: expected a number over 0 and at most 1, got 1.2.")).toBe(
    "Expected a number over 0 % and at most 100 %, got 120 %.",
  );
  expect(said("compactMessages", "compactMessages: expected more than keepLast (10), so that …, got 5.")).toBe(
    "Expected more than “Messages that stay” (10), so that …, got 5.",
  );
  expect(said("retention", 'retention: expected {"messages": …}, all over 0, got -1 at "messages.days".')).toBe(
    "Messages, age: Expected a number over 0.",
  );
  expect(said("maxSteps", 'This needs a key of scope "admin".')).toBeNull();
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
