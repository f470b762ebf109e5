// The first five minutes with the demo model, on a real runtime: the README's conversation, and what docs/demo.md suggests.
import type { Agent } from "../../src/agent/agent.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { drain, lastOf, useRuntimes } from "../support/runtime.ts";

const runtimes = useRuntimes();

const say = async (agent: Agent, text: string): Promise<string> => (await lastOf(agent.send(text))).text;
const human = async (runtime: Runtime, name: string): Promise<string> => {
  const modules = await runtime.memory.show(name);
  return modules.find(({ label }) => label === "human")?.value ?? "";
};

describe.each(["native", "heartbeat"] as const)("in the %s protocol", (protocol) => {
  const name = `newcomer ${protocol}`;
  const clock = createManualClock();

  test("it replies as in the README, and knows the user in a new conversation", async () => {
    const runtime = await runtimes.open({ model: "demo", protocol, clock });
    const agent = await runtime.agents.open(name, { create: { human: "" } });
    expect(await say(agent, "My name is Ada.")).toBe("Nice to meet you, Ada. I wrote into my core memory: Name: Ada.");
    expect(await say(agent, "I live in Lisbon and I like sailing.")).toBe(
      "I wrote into my core memory: Lives in: Lisbon; Likes: sailing.",
    );
    expect(await say(agent, "What is the weather like?")).toBe(
      'I searched my archival memory and our conversation history and found nothing about "weather".',
    );
    expect(await human(runtime, name)).toBe("Name: Ada\nLives in: Lisbon\nLikes: sailing");
    const later = await runtime.agents.open(name, { conversation: "new" });
    expect(await say(later, "What is my name?")).toBe("Your name is Ada.");
  });

  test("facts are corrected and forgotten, and the edits are visible in the same turn", async () => {
    const runtime = await runtimes.open({ model: "demo", protocol, clock });
    const agent = await runtime.agents.open(name);
    await say(agent, "I've moved to Porto. I don't like sailing.");
    expect(await human(runtime, name)).toBe("Name: Ada\nLives in: Porto\nDislikes: sailing");
    expect(await say(agent, "Forget my name. What do you know about me?")).toBe(
      'I removed "Name: Ada" from my core memory.\nThis is what my core memory holds about you:\n- Lives in: Porto\n- Dislikes: sailing',
    );
  });

  test("texts to remember are archived, and found there and in the conversation", async () => {
    const runtime = await runtimes.open({ model: "demo", protocol, clock });
    const agent = await runtime.agents.open(name);
    await say(agent, "Remember that the boat is in Cascais.");
    const found = await say(agent, "Where is the boat?");
    expect(found).toContain('archival memory: "the boat is in Cascais"');
    expect(found).toContain('you said: "Remember that the boat is in Cascais."');
    expect(await say(agent, "What did I tell you on 2026-01-01?")).toContain('you said: "My name is Ada."');
  });

  test("a call waits for approval, and a denial is reported", async () => {
    const runtime = await runtimes.open({ model: "demo", protocol, clock });
    await runtime.agents.update(name, { approvals: ["core_memory_append"] });
    const agent = await runtime.agents.open(name);
    const events = await drain(agent.send("I work as a cartographer."));
    expect(events.at(-1)).toMatchObject({ stopReason: "awaiting-approval" });
    const end = await lastOf(agent.deny(agent.pendingApprovals[0]!.callId));
    expect(end.text).toContain("core_memory_append failed, so that is not kept: core_memory_append was not");
    expect(await human(runtime, name)).not.toContain("cartographer");
  });

  test("a summary keeps the user's facts about themselves", async () => {
    const runtime = await runtimes.open({ model: "demo", protocol, clock });
    const agent = await runtime.agents.open(`${name} at length`, { create: {} });
    await say(agent, "My locker code is 4711 since May.");
    for (let turn = 0; turn < 8; turn += 1) await say(agent, `Day ${turn} was dull.`);
    const { summary } = await agent.compact();
    expect(summary).toContain("My locker code is 4711 since May.");
  });
});
