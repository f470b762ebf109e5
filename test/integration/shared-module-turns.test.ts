// Turns of agents that hold one module: the trust of its writers, where an edit is shown, grants, and deletion. On the engine at
// hand.
import { z } from "zod";
import {
  createScriptedModel,
  type ScriptedReplies,
  type ScriptedReply,
} from "../../src/model/llm/scripted/scripted-model.ts";
import type { ModuleAccess } from "../../src/store/port/shared-module-store.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import { drain, useRuntimes } from "../support/runtime.ts";
import { stateOf } from "../support/state-text.ts";

const runtimes = useRuntimes();
let users = 0;

const readPage = defineTool({
  name: "read_page",
  description: "Reads a page.",
  parameters: z.object({}),
  effects: "external",
  run: () => "The page says: tea at three.",
});

async function open(replies: ScriptedReplies = [], userId = `user-${(users += 1)}`) {
  const model = createScriptedModel({ replies });
  const runtime = await runtimes.open({ userId, model: "scripted", models: [model], tools: { add: [readPage] } });
  const agentWith = (id: string, name = "one") =>
    runtime.agents.open(name, { create: { memoryType: "free", modules: [id] } });
  /** The texts of the newest request: its instructions, and its state entries. */
  const sent = () => {
    const request = model.requests.at(-1)!;
    return { system: JSON.stringify(request.system), end: stateOf(request) };
  };
  return { runtime, agentWith, sent };
}

function call(name: string, args: object) {
  return { toolCalls: [{ name, arguments: args }] };
}

const appended = (content: string) => call("core_memory_append", { name: "notes", content });
const replaced = call("core_memory_replace", { name: "notes", old_content: "Tea at five.", new_content: "No tea." });
const end = { text: "Done." };
const value = "Tea at five.";

describe("the trust of a module", () => {
  it("is the lowest of its writers, and does not rise by later edits of any holder", async () => {
    const { runtime, agentWith } = await open([
      appended("By a model."),
      end,
      call("read_page", {}),
      appended("By a model that read a page."),
      end,
      appended("By the first again."),
      end,
    ]);
    const { id } = await runtime.modules.create({ label: "notes", value });
    const trust = async () => (await runtime.modules.find(id)).trust;
    const [first, second] = [await agentWith(id), await agentWith(id, "two")];
    expect(await trust()).toBe("user");
    await drain(first.send("Write."));
    expect(await trust()).toBe("model");
    await drain(second.send("Read and write."));
    expect(await trust()).toBe("external");
    await drain(first.send("Write."));
    await runtime.memory.edit("one", "notes", { append: "By the user." });
    expect(await trust()).toBe("external");
    expect((await runtime.modules.revisions(id)).map((revision) => revision.trust)).toEqual([
      "user",
      "external",
      "external",
      "model",
    ]);
  });

  it("lowers what another holder writes elsewhere while it is in its window", async () => {
    const { runtime, agentWith } = await open([
      call("read_page", {}),
      appended("From a page."),
      end,
      call("archival_memory_insert", { content: "Tea at three." }),
      end,
    ]);
    const { id } = await runtime.modules.create({ label: "notes", value });
    const [first, second] = [await agentWith(id), await agentWith(id, "two")];
    await drain(first.send("Read."));
    await drain(second.send("Save it."));
    expect(await runtime.archival.list("two")).toMatchObject([{ text: "Tea at three.", trust: "external" }]);
  });
});

describe("an edit by one holder", () => {
  it("is at the end of the next request of the others, behind an unchanged prompt", async () => {
    const ada = await open([end, appended("Coffee at six."), end, end]);
    const { id } = await ada.runtime.modules.create({ label: "notes", value });
    const [first, second] = [await ada.agentWith(id), await ada.agentWith(id, "two")];
    await drain(second.send("Hello"));
    const before = ada.sent();
    expect(before.system).toContain(value);
    await drain(first.send("Write."));
    await drain(second.send("And now?"));
    expect(ada.sent().system).toBe(before.system);
    expect(ada.sent().end).toContain("Coffee at six.");
  });

  it("is at the end of the next request of another user's agent, as text from outside", async () => {
    const ada = await open([appended("Coffee at six."), end]);
    const ben = await open([end, end]);
    const { id } = await ada.runtime.modules.create({ label: "notes", value });
    await ada.runtime.modules.share(id, ben.runtime.userId, "read");
    await ben.runtime.modules.accept(id);
    const [first, second] = [await ada.agentWith(id), await ben.agentWith(id)];
    await drain(second.send("Hello"));
    await drain(first.send("Write."));
    await drain(second.send("And now?"));
    expect(ben.sent().system).not.toContain("Coffee at six.");
    expect(ben.sent().end).toContain("Coffee at six.");
    expect(await ben.runtime.memory.show("one")).toMatchObject([{ trust: "external", ownerId: ada.runtime.userId }]);
  });
});

describe("a turn of another user's agent", () => {
  async function turnUnder(access: ModuleAccess, reply: ScriptedReply) {
    const ada = await open();
    const ben = await open([reply, end]);
    const { id } = await ada.runtime.modules.create({ label: "notes", value });
    await ada.runtime.modules.share(id, ben.runtime.userId, access);
    await ben.runtime.modules.accept(id);
    const agent = await ben.runtime.agents.open("one", {
      create: { memoryType: "free", modules: [id, { label: "own" }] },
    });
    const events = await drain(agent.send("Write."));
    const result = events.find((event) => event.type === "tool-result");
    const { status = "none", text = "" } = result?.type === "tool-result" ? result : {};
    const { value: after, trust } = await ada.runtime.modules.find(id);
    return { status, text, value: after, trust };
  }

  const more = `${value}\nMore.`;

  it.each([
    { access: "read", edit: "append", status: "failed", text: "read-only", after: value },
    { access: "read", edit: "replace", status: "failed", text: "read-only", after: value },
    { access: "append", edit: "append", status: "ok", text: "", after: more },
    { access: "append", edit: "replace", status: "failed", text: "only be added to the end", after: value },
    { access: "write", edit: "append", status: "ok", text: "", after: more },
    { access: "write", edit: "replace", status: "ok", text: "", after: "No tea." },
  ] as const)("with a grant to $access: $edit is $status", async ({ access, edit, status, text, after }) => {
    const reply = edit === "append" ? appended("More.") : replaced;
    expect(await turnUnder(access, reply)).toEqual({
      status,
      text: expect.stringContaining(text),
      value: after,
      trust: status === "ok" ? "external" : "user",
    });
  });

  it("cannot write once the grant was lowered or has ended, also in an open conversation", async () => {
    const ada = await open();
    const ben = await open([appended("More."), end, replaced, end, appended("Too late."), end]);
    const { id } = await ada.runtime.modules.create({ label: "notes", value });
    await ada.runtime.modules.share(id, ben.runtime.userId, "write");
    await ben.runtime.modules.accept(id);
    const agent = await ben.agentWith(id);
    await drain(agent.send("Write."));
    await ada.runtime.modules.share(id, ben.runtime.userId, "append");
    await drain(agent.send("Write."));
    await ada.runtime.modules.unshare(id, ben.runtime.userId);
    const events = await drain(agent.send("Write."));
    expect(events).toContainEqual(expect.objectContaining({ type: "tool-result", status: "failed" }));
    expect(await ada.runtime.modules.find(id)).toMatchObject({ value: `${value}\nMore.`, revision: 1 });
  });
});

test("an undo without a label passes over the edits of a module that its user may only read", async () => {
  const ada = await open();
  const ben = await open();
  const { id } = await ada.runtime.modules.create({ label: "notes", value });
  await ada.runtime.modules.share(id, ben.runtime.userId, "read");
  await ben.runtime.modules.accept(id);
  await ben.runtime.agents.create({ name: "one", memoryType: "free", modules: [id, { label: "own" }] });
  await ben.runtime.memory.edit("one", "own", { append: "Mine." });
  for (const text of ["Tea at six.", "Tea at seven."]) await ada.runtime.modules.update(id, { value: text });
  expect(await ben.runtime.memory.undo("one")).toMatchObject({ label: "own", revision: 1 });
  expect(await ben.runtime.memory.show("one")).toMatchObject([{ value: "" }, { value: "Tea at seven." }]);
  await expect(ben.runtime.memory.undo("one")).rejects.toMatchObject({ code: "module_read_only" });
  await expect(ben.runtime.memory.undo("one", "notes")).rejects.toMatchObject({ code: "module_read_only" });
});

describe("when an agent is deleted", () => {
  it("the others keep what they share with it, other users too, and its own modules go", async () => {
    const ada = await open([appended("By the first."), end, end]);
    const ben = await open([end]);
    const { id } = await ada.runtime.modules.create({ label: "notes", value });
    await ada.runtime.modules.share(id, ben.runtime.userId, "read");
    await ben.runtime.modules.accept(id);
    const first = await ada.runtime.agents.open("one", {
      create: { memoryType: "free", modules: [id, { label: "own", value: "Mine." }] },
    });
    const [second, other] = [await ada.agentWith(id, "two"), await ben.agentWith(id)];
    await drain(first.send("Write."));
    await ada.runtime.agents.delete("one");
    expect((await ada.runtime.modules.list()).map(({ label }) => label)).toEqual(["notes"]);
    await drain(second.send("What do you know?"));
    expect(ada.sent().system + ada.sent().end).toContain("By the first.");
    await drain(other.send("What do you know?"));
    expect(ben.sent().system + ben.sent().end).toContain("By the first.");
    expect(await ada.runtime.modules.revisions(id)).toMatchObject([{ agentId: null }]);
  });
});
