// `/persona` and `/tools`: what they show, and what they change in the database.
import { z } from "zod";
import { defineTool } from "../../src/tool/define-tool.ts";
import { drain, useRuntimes } from "../support/runtime.ts";
import { append, openScene, type Scene } from "../support/scene.ts";
import { typeLine } from "../support/typed-line.ts";

const runtimes = useRuntimes();

const personaOf = async ({ runtime, name }: Scene) =>
  (await runtime.memory.show(name)).find(({ label }) => label === "persona")!.value;
const approvalsOf = async ({ runtime, name }: Scene) => (await runtime.agents.find(name)).settings.approvals;

describe("/persona", () => {
  test("NAME replaces it by a starter text as a revision of the user, which the next turn shows and /undo reverts", async () => {
    const scene = await openScene(runtimes, [{ text: "Hello." }]);
    const { runtime, name, agent, model } = scene;
    const wanted = (await runtime.starters.personas()).at(-1)!;
    expect((await typeLine(`/persona ${wanted.name.toUpperCase()}`, scene)).text).toContain(
      `has the persona ${wanted.name} from its next turn.`,
    );
    expect(await personaOf(scene)).toBe(wanted.text);
    expect(await runtime.memory.revisions(name)).toMatchObject([
      { label: "persona", revision: 1, before: "", after: wanted.text, origin: "user" },
    ]);
    await drain(agent.send("Hi"));
    expect(JSON.stringify(model.requests[0])).toContain(JSON.stringify(wanted.text.slice(0, 40)).slice(1, -1));
    expect((await typeLine(`/persona ${wanted.name}`, scene)).text).toContain("already");
    expect(await runtime.memory.revisions(name)).toHaveLength(1);
    await typeLine("/undo persona", scene);
    expect(await personaOf(scene)).toBe("");
  });

  test("alone shows the persona and the starters, and changes nothing", async () => {
    const scene = await openScene(runtimes, []);
    const starters = await scene.runtime.starters.personas();
    for (const width of [20, 79]) await typeLine("/persona", { ...scene, width });
    const { text } = await typeLine("/persona", scene);
    expect(text).toContain("The persona\n  (empty)");
    for (const starter of starters) expect(text).toContain(`  ${starter.name}  `);
    await scene.runtime.memory.set(scene.name, "persona", starters[0]!.text);
    expect((await typeLine("/persona", scene)).text).toContain(", this one  ");
    expect(await scene.runtime.memory.revisions(scene.name)).toHaveLength(1);
  });

  test.each(["compani", "字🙂", "</human>", "%_", "a".repeat(1e6), "../human/unknown", "\u0000"])(
    "an unknown one is refused, with nothing changed (%#)",
    async (typed) => {
      const scene = await openScene(runtimes, []);
      const { text } = await typeLine(`/persona ${typed}`, scene);
      expect(text).toContain("There is no persona");
      if (typed === "compani") expect(text).toContain("Did you mean companion?");
      expect(await scene.runtime.memory.revisions(scene.name)).toEqual([]);
    },
  );

  test("a text over the limit changes nothing; a memory without a persona reports it", async () => {
    const scene = await openScene(runtimes, [], { coreMemoryLimit: 20 });
    await expect(typeLine("/persona companion", scene)).rejects.toMatchObject({ code: "module_limit" });
    expect(await personaOf(scene)).toBe("");
    const { runtime } = scene;
    const bare = { ...runtime, memory: { ...runtime.memory, show: async () => [] } };
    expect((await typeLine("/persona", { ...scene, runtime: bare })).text).toContain("has no persona.");
  });
});

describe("/tools", () => {
  const pay = defineTool({
    name: "pay",
    description: "Pays\nan amount.",
    parameters: z.object({}),
    approval: true,
    run: () => "paid",
  });

  test("ask requires approval for a tool, in the database and at once; free ends that", async () => {
    const scene = await openScene(runtimes, [
      { toolCalls: [append("Sails")] },
      { text: "Denied." },
      { toolCalls: [append("Climbs")] },
      { text: "Saved." },
    ]);
    const asked = await typeLine("/tools ask core_memory_append", scene);
    expect(asked.text).toBe("· From now on, calls of core_memory_append wait for your approval.");
    expect(await approvalsOf(scene)).toEqual(["core_memory_append"]);
    if (asked.effect?.type !== "open") throw new Error("Expected the chat to go on with the agent that was opened.");
    const { agent } = asked.effect;
    await drain(agent.send("I sail"));
    expect(agent.pendingApprovals).toHaveLength(1);
    await drain(agent.deny(agent.pendingApprovals[0]!.callId));
    expect((await typeLine("/tools ask core_memory_append", { ...scene, agent })).text).toContain("Already set");
    const freed = await typeLine("/tools free core_memory_append", { ...scene, agent });
    expect(await approvalsOf(scene)).toEqual([]);
    if (freed.effect?.type !== "open") throw new Error("Expected the chat to go on with the agent that was opened.");
    await drain(freed.effect.agent.send("I climb"));
    expect(freed.effect.agent.memory.read("human")).toBe("Climbs");
  });

  test("alone lists tools with their approvals, and one with approval by definition cannot be freed", async () => {
    const scene = await openScene(runtimes, [], { tools: { add: [pay] }, approvals: ["core_memory_replace"] });
    const { text, effect } = await typeLine("/tools", { ...scene, width: 79 });
    expect(text).toContain("  pay  waits, by its definition  Pays an amount.");
    expect(text).toContain("  core_memory_replace  waits  ");
    expect(text).toMatch(/· Calls of 3 of \d+ tools wait for your approval\.\n {2}\/tools free core_memory_replace/u);
    expect(effect).toBeUndefined();
    expect((await typeLine("/tools free pay", scene)).text).toContain("always wait for approval");
    expect(await approvalsOf(scene)).toEqual(["core_memory_replace"]);
  });

  test.each([
    ["/tools ask core_memory_apend", "Did you mean core_memory_append?"],
    ["/tools ask", "Expected ask or free, and the name of one tool."],
    ["/tools ask a b", "Expected ask or free"],
    ["/tools drop core_memory_append", "Expected ask or free"],
    ["/tools free 字%_</human>", 'The agent has no tool "字%_</human>".'],
    [`/tools ask ${"a".repeat(1e6)}`, "The agent has no tool"],
  ])("invalid input is refused, with nothing changed (%#)", async (line, said) => {
    const scene = await openScene(runtimes, []);
    expect((await typeLine(line, scene)).text).toContain(said);
    expect(await approvalsOf(scene)).toEqual([]);
  });
});
