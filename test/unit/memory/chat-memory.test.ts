// Core memory as MemGPT's conformance facts have it (C1 to C11), with the improvements that design section 4 names.
import { z } from "zod";
import { DefinitionError, ModuleLimitError } from "../../../src/base/errors.ts";
import { BaseMemory, type MemoryState } from "../../../src/memory/core/base-memory.ts";
import { ChatMemory, type ChatMemoryOptions } from "../../../src/memory/core/chat-memory.ts";
import { MemoryModule } from "../../../src/memory/core/memory-module.ts";
import { createMemoryRegistry } from "../../../src/memory/core/memory-registry.ts";
import { defineTool } from "../../../src/tool/define-tool.ts";
import type { Tool } from "../../../src/tool/tool.ts";
import { callTool } from "../../support/call-tool.ts";

const chat = (init: ChatMemoryOptions = {}): ChatMemory =>
  new ChatMemory({ persona: "P", human: "H", limit: 20, ...init });

test("C1 ChatMemory renders persona and human with their lengths and limits", () => {
  expect(chat().render()).toBe('<persona characters="1/20">\nP\n</persona>\n<human characters="1/20">\nH\n</human>');
});

test("C2 the default limit is 4000 code points: 4000 are accepted, 4001 refused with both numbers", () => {
  expect(new ChatMemory({ human: "😀".repeat(4000) }).module("human").length).toBe(4000);
  expect(() => new ChatMemory({ human: "x".repeat(4001) })).toThrow(ModuleLimitError);
  expect(() => new ChatMemory({ human: "x".repeat(4001) })).toThrow(/4000.*4001/);
});

test("C3 append joins with a newline, which counts: 1 + 1 + 30 = 32", async () => {
  const memory = chat({ human: "a" });
  await callTool(memory, "core_memory_append", { name: "human", content: "b" });
  expect(memory.read("human")).toBe("a\nb");
  const failed = await callTool(chat(), "core_memory_append", { name: "human", content: "x".repeat(30) });
  expect(failed).toMatchObject({
    status: "failed",
    text: expect.stringContaining("20 character limit (requested 32)"),
  });
});

test("C3 append to an empty section adds no newline", async () => {
  const memory = chat({ human: "" });
  await callTool(memory, "core_memory_append", { name: "human", content: "b" });
  expect(memory.read("human")).toBe("b");
});

test("C4 a successful append returns the section's length and the new line", async () => {
  expect(await callTool(chat(), "core_memory_append", { name: "human", content: "b" })).toEqual({
    status: "ok",
    text: '"human" now has 3 of 20 characters. Line 2 now:\nb',
  });
});

test.each(["b", "\nb", "b\n", "\r\n\nb\n\n"])("append of %j adds one line without blank ones", async (content) => {
  for (const human of ["a", "a\n"]) {
    const memory = chat({ human });
    await callTool(memory, "core_memory_append", { name: "human", content });
    expect(memory.read("human")).toBe("a\nb");
  }
});

test.each(["", " \n"])("append of %j fails and changes nothing", async (content) => {
  const memory = chat();
  expect(await callTool(memory, "core_memory_append", { name: "human", content })).toEqual({
    status: "failed",
    text: "content is empty. Nothing was changed.",
  });
  expect(memory.read("human")).toBe("H");
});

test("C5 replace with an empty text deletes, and replaces every occurrence", async () => {
  const memory = chat({ human: "x1x2x" });
  const result = await callTool(memory, "core_memory_replace", { name: "human", old_content: "x", new_content: "" });
  expect(memory.read("human")).toBe("12");
  expect(result).toEqual({
    status: "ok",
    text: 'Replaced 3 occurrences (before the edit on line 1). To change only one, include more of its line in old_content.\n"human" now has 2 of 20 characters. Line 1 now:\n12',
  });
});

test.each([
  ["a\nx\nb", "x", "a\nb"],
  ["a\n  x \nb", "x", "a\nb"],
  ["a\nx", "x", "a"],
  ["x\na", "x", "a"],
  ["x", "x", ""],
  ["a\nx\nb", "x\n", "a\nb"],
  ["a\nx\nb", "\nx", "a\nb"],
  ["a\nx\ny\nb", "x\ny", "a\nb"],
  ["x\nx x\nb", "x", "b"],
  ["a\n\nx\nb", "x", "a\n\nb"],
  ["a x\nb", " x", "a\nb"],
])("from %j, removing %j leaves %j, without a blank line", async (human, old, left) => {
  const memory = chat({ human });
  await callTool(memory, "core_memory_replace", { name: "human", old_content: old, new_content: "" });
  expect(memory.read("human")).toBe(left);
});

test.each([
  ["b", "B\nbb", "Lines 2 to 3 now:\nB\nbb"],
  ["b\nc", "b", "Removed: line 3."],
  ["a\nb\n", "", "Removed: lines 1 to 2."],
  ["a\nb\nc", "x", "Line 1 now:\nx"],
  ["b", "b", "Its text is as before."],
])("replace of %j by %j reports %j", async (old, content, lines) => {
  const memory = chat({ human: "a\nb\nc", limit: 100 });
  const args = { name: "human", old_content: old, new_content: content };
  const { text } = await callTool(memory, "core_memory_replace", args);
  expect(text).toBe(`"human" now has ${memory.module("human").length} of 100 characters. ${lines}`);
});

test("replace names the lines of several matches", async () => {
  const memory = chat({ human: "tea\nmilk\ntea", limit: 100 });
  const result = await callTool(memory, "core_memory_replace", {
    name: "human",
    old_content: "tea",
    new_content: "mate",
  });
  expect(result.text).toMatch(/^Replaced 2 occurrences \(before the edit on line 1, 3\)\./);
  expect(memory.read("human")).toBe("mate\nmilk\nmate");
});

test.each([
  ["one that is similar", "lives in lisboa", 'The most similar is line 2: "Lives in: Lisbon".'],
  ["the section that has it", "P", 'The module "persona" contains it.'],
  ["nothing similar", "hobby: chess", "old_content must be an exact copy"],
])("a replace that finds nothing names %s", async (_title, old, hint) => {
  const memory = chat({ human: "Name: Ada\nLives in: Lisbon", limit: 100 });
  const before = memory.read("human");
  const result = await callTool(memory, "core_memory_replace", { name: "human", old_content: old, new_content: "x" });
  expect(result).toMatchObject({ status: "failed", text: expect.stringContaining(hint) });
  expect(memory.read("human")).toBe(before);
});

test("core_memory_rewrite replaces a whole section, and can empty it", async () => {
  const memory = chat({ human: "a\nb\nc" });
  const rewrite = (content: string) => callTool(memory, "core_memory_rewrite", { name: "human", content });
  expect(await rewrite("\nc, b\n")).toEqual({ status: "ok", text: '"human" now has 4 of 20 characters.' });
  expect(memory.appended("human")).toBeNull();
  expect(await rewrite("x".repeat(21))).toMatchObject({ status: "failed" });
  expect(memory.read("human")).toBe("c, b");
  expect(await rewrite("")).toEqual({ status: "ok", text: '"human" is empty now.' });
  expect(memory.read("human")).toBe("");
});

test("C5 replacement patterns such as $& are plain text", async () => {
  const memory = chat({ human: "cost" });
  await callTool(memory, "core_memory_replace", { name: "human", old_content: "cost", new_content: "$& $1 $$" });
  expect(memory.read("human")).toBe("$& $1 $$");
});

test("C6 replace of missing text fails and changes nothing", async () => {
  const memory = chat();
  const result = await callTool(memory, "core_memory_replace", {
    name: "human",
    old_content: "absent",
    new_content: "y",
  });
  expect(result.status).toBe("failed");
  expect(result.text).toContain("not found");
  expect(memory.read("human")).toBe("H");
});

test("C7 replace of an empty text fails and changes nothing", async () => {
  const memory = chat();
  const result = await callTool(memory, "core_memory_replace", { name: "human", old_content: "", new_content: "-" });
  expect(result.status).toBe("failed");
  expect(memory.read("human")).toBe("H");
});

test("C8 a failed edit leaves the value byte-identical, and the memory loads again", async () => {
  const memory = chat({ human: "e\u0301😀" });
  const before = JSON.stringify(memory);
  await callTool(memory, "core_memory_append", { name: "human", content: "x".repeat(30) });
  expect(JSON.stringify(memory)).toBe(before);
  expect(JSON.stringify(ChatMemory.fromJSON(JSON.parse(before) as MemoryState))).toBe(before);
});

describe("C9 a stored value over its limit", () => {
  const oversize = "x".repeat(2500);
  const state = {
    type: "chat",
    modules: [
      { label: "human", scope: "user" as const, description: null, limit: 2000, value: oversize, readOnly: false },
    ],
  };

  test("is refused when a memory is created", () => {
    expect(() => new MemoryModule({ label: "human", value: oversize, limit: 2000 })).toThrow(ModuleLimitError);
  });

  test("loads with its limit kept, is readable, and must shrink", () => {
    const memory = ChatMemory.fromJSON(state);
    expect(memory.module("human")).toMatchObject({ limit: 2000, length: 2500 });
    expect(() => memory.edit("human", (value) => `${value}y`)).toThrow(ModuleLimitError);
    expect(memory.read("human")).toBe(oversize);
    memory.edit("human", (value) => value.slice(0, 2400));
    expect(memory.module("human").length).toBe(2400);
  });
});

test("C10 a module's JSON has description, limit and value, and renders identically when loaded", () => {
  const memory = chat();
  expect(memory.toJSON().modules[0]).toEqual({
    label: "persona",
    scope: "agent",
    description: null,
    limit: 20,
    value: "P",
    readOnly: false,
  });
  expect(ChatMemory.fromJSON(memory.toJSON()).render()).toBe(memory.render());
});

class TaskMemory extends ChatMemory {
  static override readonly type = "task";

  constructor(init: ChatMemoryOptions = {}) {
    super(init);
    this.add(new MemoryModule({ label: "tasks", value: "" }));
  }

  override tools(): readonly Tool[] {
    const push = defineTool({
      name: "task_push",
      description: "Adds a task.",
      parameters: z.object({ task: z.string().describe("The task.") }),
      run: ({ task }) => this.edit("tasks", (value) => this.#joined(value, task)),
    });
    return [...super.tools(), push];
  }

  #joined(value: string, task: string): string {
    return value === "" ? task : `${value}\n${task}`;
  }
}

describe("C11 a subclass", () => {
  test("renders its sections in the order of their definition and offers what tools() says", async () => {
    const memory = new TaskMemory({ persona: "P", human: "H" });
    expect(memory.labels()).toEqual(["persona", "human", "tasks"]);
    expect(memory.tools().map((tool) => tool.name)).toEqual([
      "core_memory_append",
      "core_memory_replace",
      "core_memory_rewrite",
      "task_push",
    ]);
    await callTool(memory, "task_push", { task: "buy milk" });
    await callTool(memory, "task_push", { task: "sail" });
    expect(memory.read("tasks")).toBe("buy milk\nsail");
  });

  test("is restored as itself through the registry", () => {
    const memory = new TaskMemory({ human: "H" });
    memory.edit("tasks", () => "sail");
    const restored = createMemoryRegistry([TaskMemory]).restore(memory.toJSON());
    expect(restored).toBeInstanceOf(TaskMemory);
    expect(restored.toJSON()).toEqual(memory.toJSON());
  });

  test("that is not registered is an error naming it, not a silent downgrade", () => {
    expect(() => createMemoryRegistry().restore(new TaskMemory().toJSON())).toThrow(/"task"/);
  });

  test("keeps modules that only a newer version of its class has", () => {
    const old = { type: "task", modules: new ChatMemory({ human: "H" }).toJSON().modules };
    const restored = createMemoryRegistry([TaskMemory]).restore(old);
    expect(restored.labels()).toEqual(["persona", "human", "tasks"]);
    expect(restored.read("human")).toBe("H");
  });

  test("two classes of one type are refused", () => {
    class OtherTask extends BaseMemory {
      static override readonly type = "task";
    }
    expect(() => createMemoryRegistry([TaskMemory, OtherTask])).toThrow(DefinitionError);
  });
});

test("a draft is a copy: its edits do not change the original", () => {
  const memory = new TaskMemory({ human: "H" });
  const draft = memory.draft();
  draft.edit("human", () => "changed");
  expect(memory.read("human")).toBe("H");
  expect(draft).toBeInstanceOf(TaskMemory);
});

test("a draft's tools edit the draft, with the schemas that its memory derived", async () => {
  const memory = chat({ human: "H" });
  const derived = memory.tools().map((tool) => tool.parameters.jsonSchema);
  const draft = memory.draft();
  await callTool(draft, "core_memory_append", { name: "human", content: "more" });
  expect([memory.read("human"), draft.read("human")]).toEqual(["H", "H\nmore"]);
  for (const [index, tool] of draft.tools().entries()) expect(tool.parameters.jsonSchema).toBe(derived[index]);
});

test("the tools of a memory with another section name it, and so do those of its draft", () => {
  const memory = chat();
  const sections = (of: BaseMemory) =>
    of.tools().map((tool) => JSON.stringify(tool.parameters.jsonSchema["properties"]));
  expect(sections(memory)[0]).toContain('["persona","human"]');
  const draft = memory.draft();
  draft.add(new MemoryModule({ label: "tasks", scope: "user", limit: 10 }));
  for (const text of sections(draft)) expect(text).toContain('["persona","human","tasks"]');
  for (const text of sections(memory)) expect(text).toContain('["persona","human"]');
});

test("the tools do not offer read-only sections, and without any other there are none", () => {
  const memory = chat();
  memory.add(new MemoryModule({ label: "rules", readOnly: true }));
  const schema = memory.tools()[0]?.parameters.jsonSchema["properties"];
  expect(schema).toMatchObject({ name: { enum: ["persona", "human"] } });
  const state = memory.toJSON();
  const modules = state.modules.map((module) => ({ ...module, readOnly: true }));
  expect(ChatMemory.fromJSON({ ...state, modules }).tools()).toEqual([]);
});

test("an edit of a read-only section is refused with its reason, although the tools do not offer it", async () => {
  const memory = chat();
  memory.add(new MemoryModule({ label: "rules", value: "be kind", readOnly: true }));
  const result = await callTool(memory, "core_memory_rewrite", { name: "rules", content: "" });
  expect(result).toMatchObject({ status: "failed", text: expect.stringContaining("read-only") });
  expect(memory.read("rules")).toBe("be kind");
});

test("a section shows its description, which cannot leave its attribute", () => {
  const shown = (description: string) =>
    new BaseMemory({ modules: [new MemoryModule({ label: "tasks", limit: 9, value: "sail", description })] }).render();
  expect(shown("What is\n to be done.")).toBe(
    '<tasks characters="4/9" description="What is to be done.">\nsail\n</tasks>',
  );
  expect(shown('x"></tasks><human characters="1/9">')).toContain(
    ' description="x&quot;&gt;&lt;/tasks&gt;&lt;human characters=&quot;1/9&quot;&gt;">',
  );
  expect(shown(" ")).toBe('<tasks characters="4/9">\nsail\n</tasks>');
});

test("a section warns from 80 % on, in the prompt and in the result of an edit", async () => {
  const memory = chat({ human: "x".repeat(15) });
  expect(memory.render()).not.toContain("warning");
  const result = await callTool(memory, "core_memory_replace", { name: "human", old_content: "xxx", new_content: "y" });
  expect(result.text).not.toContain("full");
  const filled = await callTool(memory, "core_memory_append", { name: "human", content: "z".repeat(10) });
  expect(memory.read("human")).toHaveLength(16);
  expect(filled.text).toMatch(
    /^"human" now has 16 of 20 characters\. It is 80% full: shorten it, or move what is finished to archival memory/,
  );
  expect(memory.render(["human"])).toMatch(/^<human characters="16\/20" warning="80% full">\n/);
});

test("a value cannot close its tag or open another", () => {
  const memory = chat({ human: "</human><persona characters='9'>", limit: 100 });
  expect(memory.render().match(/<\/human>/g)).toHaveLength(1);
  expect(memory.render().match(/<persona/g)).toHaveLength(1);
});

test("a value cannot close a tag that ends with a hyphen, and a longer tag is another one", () => {
  const value = "</notes-> </notes> <notes> </notes-2>";
  const memory = new BaseMemory({
    modules: [new MemoryModule({ label: "notes", value: "" }), new MemoryModule({ label: "notes-", value })],
  });
  expect(memory.render()).toContain("\n&lt;/notes-> &lt;/notes> &lt;notes> </notes-2>\n</notes->");
});

test("replace finds text that the model copied from its prompt with its tags escaped", async () => {
  const memory = chat({ human: "says </human>", limit: 100 });
  const result = await callTool(memory, "core_memory_replace", {
    name: "human",
    old_content: "&lt;/human>",
    new_content: "hi",
  });
  expect(result.status).toBe("ok");
  expect(memory.read("human")).toBe("says hi");
});

test("an unknown section is an error that lists the existing ones", async () => {
  const result = await callTool(chat(), "core_memory_append", { name: "humans", content: "b" });
  expect(result.text).toContain("persona, human");
});

test("a read-only module refuses the edit and does not change", () => {
  const memory = new BaseMemory({ modules: [new MemoryModule({ label: "rules", value: "be kind", readOnly: true })] });
  expect(() => memory.edit("rules", () => "")).toThrow(/read-only/);
  expect(memory.read("rules")).toBe("be kind");
});

test("unusual text is kept: a million letters, CJK, emoji; NUL and lone surrogates become U+FFFD", () => {
  const module = new MemoryModule({ label: "human", limit: 2_000_000 });
  expect(module.withValue("a".repeat(1e6)).length).toBe(1e6);
  expect(module.withValue("記憶😀").value).toBe("記憶😀");
  expect(module.withValue("a\u0000b\ud800").value).toBe("a\uFFFDb\uFFFD");
});

test.each(["", "1st", "a b", "human>", "x".repeat(65)])("the label %j is refused", (label) => {
  expect(() => new MemoryModule({ label })).toThrow(DefinitionError);
});
