// Sharing an agent as two people use it: an offer that the other user accepts, and what each keeps when it ends. On the engine
// at hand.
import type { Model } from "../../src/model/llm/model.ts";
import { ChatMemory } from "../../src/memory/core/chat-memory.ts";
import { noUsage } from "../../src/base/message/message.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { withoutTimes } from "../support/messages.ts";
import { drain, lastOf, useRuntimes } from "../support/runtime.ts";

const runtimes = useRuntimes();
let ada: Runtime;
let ben: Runtime;
let pair = 0;
/** Called while a reply is on its way. */
let onReply: () => Promise<unknown> = async () => undefined;

/** Answers with the name in the user's first words. */
const echo: Model = {
  name: "echo",
  contextWindow: 100_000,
  async *stream(request) {
    await onReply();
    const [part] = request.messages.at(-1)?.content ?? [];
    yield { type: "text-delta", text: `You said: ${part?.type === "text" ? withoutTimes(part.text) : ""}` };
    yield { type: "end", stopReason: "end", usage: noUsage };
  },
};

beforeEach(async () => {
  pair += 1;
  onReply = async () => undefined;
  [ada, ben] = [await open(`ada${pair}`), await open(`ben${pair}`)];
});

function open(userId: string): Promise<Runtime> {
  return runtimes.open({ userId, model: "echo", models: [echo] });
}

/** Ada's agent, as Ben names it once it was shared. */
const named = (agent: string): string => `ada${pair}/${agent}`;

async function share(name = "scout"): Promise<string> {
  await ada.agents.create({ name, persona: "I am Ada's." });
  await ada.agents.share(name, `ben${pair}`);
  return named(name);
}

async function acceptedAgent(): Promise<string> {
  const name = await share();
  await ben.agents.accept(name);
  return name;
}

describe("an agent that another user shares", () => {
  it("does not replace one that a first message would create", async () => {
    await share("main");
    const agent = await ben.agents.open("main", { create: { persona: "I am Ben's." } });
    expect(agent.record).toMatchObject({ ownerId: `ben${pair}`, name: "main" });
    await lastOf(agent.send("Hello"));
    expect((await ben.memory.show("main"))[0]!.value).toBe("I am Ben's.");
  });

  it("cannot be opened before it was accepted, and none of that name is created", async () => {
    const name = await share();
    await expect(ben.agents.open(name, { create: {} })).rejects.toMatchObject({
      code: "agent_not_found",
      message: expect.stringContaining(`runtime.agents.accept("${name}")`),
    });
    await expect(ben.agents.open("eve/scout", { create: {}, ephemeral: true })).rejects.toMatchObject({
      code: "agent_not_found",
    });
    expect(await ben.agents.list()).toEqual([]);
  });

  it("is named with its owner after it was accepted, and never by its own name", async () => {
    const name = await acceptedAgent();
    expect((await ben.agents.list()).map((agent) => agent.name)).toEqual([name]);
    await expect(ben.agents.find("scout")).rejects.toMatchObject({ code: "agent_not_found" });
    const agent = await ben.agents.open(name, { create: {} });
    expect(agent.record).toMatchObject({ name, ownerId: `ada${pair}` });
    expect((await lastOf(agent.send("I am Ben."))).text).toBe("You said: I am Ben.");
    expect((await ben.conversations.list(name)).map(({ preview }) => preview)).toEqual(["I am Ben."]);
  });

  it("has the other user's own modules once it was accepted, so that a fact is remembered before the first conversation", async () => {
    const name = await acceptedAgent();
    expect((await ben.memory.show(name)).map(({ label, ownerId }) => [label, ownerId])).toEqual([
      ["persona", `ada${pair}`],
      ["human", `ben${pair}`],
    ]);
    await ben.memory.remember(name, "Ben sails.");
    await lastOf((await ben.agents.open(name)).send("Hello"));
    expect((await ben.memory.show(name))[1]).toMatchObject({ label: "human", value: "Ben sails." });
    expect((await ada.memory.show("scout"))[1]).toMatchObject({ label: "human", value: "" });
  });

  it("of a memory class that is registered later can be edited from then on", async () => {
    class TaskMemory extends ChatMemory {
      static override readonly type: string = "task";
    }
    const classes = { model: "echo", models: [echo], memoryClasses: [TaskMemory] };
    const withClass = await runtimes.open({ ...classes, userId: `ada${pair}` });
    await withClass.agents.create({ name: "tasks", memoryType: "task", persona: "" });
    await withClass.agents.share("tasks", `ben${pair}`);
    await ben.agents.accept(named("tasks"));
    const benWithClass = await runtimes.open({ ...classes, userId: `ben${pair}` });
    expect(await benWithClass.memory.set(named("tasks"), "human", "Ben.")).toMatchObject({ value: "Ben." });
    const edit = { append: "Sails." };
    expect(await benWithClass.memory.edit(named("tasks"), "human", edit)).toMatchObject({ after: "Ben.\nSails." });
  });

  it.each(["a/b", "/", "ada/scout"])("has a name that a user's own agent cannot have: %j is refused", async (name) => {
    await expect(ben.agents.create({ name })).rejects.toMatchObject({ code: "config_invalid" });
  });
});

describe("when sharing ends", () => {
  const endings: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["its owner stops sharing it", () => ada.agents.unshare("scout", `ben${pair}`)],
    ["the other user leaves it", () => ben.agents.leave(named("scout"))],
    ["its owner deletes it", () => ada.agents.delete("scout")],
    ["its owner is deleted", () => ada.user.delete()],
  ];

  it.each(endings)("because %s, the other user can read and export their data", async (_, end) => {
    const name = await acceptedAgent();
    const agent = await ben.agents.open(name);
    await lastOf(agent.send("The harbour is closed."));
    await ben.memory.set(name, "human", "Ben, a pilot.");
    await ben.archival.add(name, "Ben's boat is called Kestrel.");
    await end();
    const [former] = await ben.agents.former();
    const kept = former!.name;
    expect(kept).toBe(end === endings[3]![1] ? "/scout" : name);
    const [conversation] = await ben.conversations.list(kept);
    expect((await ben.conversations.export(conversation!.id)).map(({ text }) => text)).toEqual([
      "The harbour is closed.",
      "You said: The harbour is closed.",
    ]);
    expect((await ben.conversations.history({ conversation: conversation!.id })).messages).toHaveLength(2);
    expect((await ben.recall.search(kept, "harbour")).total).toBe(2);
    expect((await ben.archival.search(kept, "boat")).total).toBe(1);
    expect((await ben.memory.show(kept)).map(({ label, value }) => [label, value])).toEqual([
      ["human", "Ben, a pilot."],
    ]);
  });

  it.each(endings)("because %s, a send into a conversation with it is refused", async (_, end) => {
    const name = await acceptedAgent();
    const agent = await ben.agents.open(name);
    await lastOf(agent.send("The harbour is closed."));
    await end();
    await expect(drain(agent.send("And now?"))).rejects.toMatchObject({ code: "grant_ended" });
    const kept = (await ben.agents.former())[0]!.name;
    await expect(ben.agents.open(kept, { create: {} })).rejects.toMatchObject({ code: "grant_ended" });
    await expect(ben.archival.add(kept, "more")).rejects.toMatchObject({ code: "grant_ended" });
    expect(await ben.agents.list()).toEqual([]);
  });

  it.each(endings.slice(0, 3))("because %s while a turn runs, its next commit is refused", async (_, end) => {
    const name = await acceptedAgent();
    const agent = await ben.agents.open(name);
    onReply = end;
    await expect(drain(agent.send("Are you there?"))).rejects.toMatchObject({ code: "grant_ended" });
    const [conversation] = await ben.conversations.list((await ben.agents.former())[0]!.name);
    expect((await ben.conversations.export(conversation!.id)).map(({ text }) => text)).toEqual(["Are you there?"]);
  });

  it("the other user can delete the kept data, and then nothing is left", async () => {
    const name = await acceptedAgent();
    await lastOf((await ben.agents.open(name)).send("Hello"));
    await expect(ben.agents.delete(name)).rejects.toMatchObject({ code: "agent_not_found" });
    await ada.agents.delete("scout");
    await ben.agents.delete(name);
    expect(await ben.agents.former()).toEqual([]);
    expect(await ben.user.usage()).toMatchObject({ conversations: 0, messages: 0 });
  });

  it("and the agent is shared and accepted again, its conversations continue", async () => {
    const name = await acceptedAgent();
    await lastOf((await ben.agents.open(name)).send("First"));
    await ben.agents.leave(name);
    await ada.agents.share("scout", `ben${pair}`);
    expect((await ben.recall.search(name, "First")).total).toBe(2);
    await ben.agents.accept(name);
    const agent = await ben.agents.open(name);
    await lastOf(agent.send("Second"));
    expect(agent.messages.filter(({ role }) => role === "user")).toHaveLength(2);
    expect(await ben.agents.former()).toEqual([]);
  });
});
