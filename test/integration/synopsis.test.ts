// The synopsis of a user: made once, used for its lifetime, made anew behind the scenes, and gone with what it was made from; and
// what one of 500 memories costs over its whole life.
import { createManualClock } from "../support/manual-clock.ts";
import { drain, useRuntimes } from "../support/runtime.ts";
import { both, context, identity, openSynopsisScene } from "../support/synopsis-scene.ts";

const runtimes = useRuntimes();

const hour = 3_600_000;
const week = 604_800_000;
const later = { recentTopics: ["the bay"], currentGoals: [] };

function manyMemories(count: number) {
  const told = (number: number) =>
    `Memory ${number}: on that day the user spoke of the boat, its ropes and the weather.`;
  return Array.from({ length: count }, (_, number) => ({ text: told(number) }));
}

test("500 memories are synthesized once, used for the lifetime, and then refreshed part by part", async () => {
  const onlyContext = { text: JSON.stringify({ context: later }) };
  const scene = await openSynopsisScene(runtimes, { replies: [both, onlyContext, both], memories: [] });
  expect(await scene.runtime.archival.import(scene.name, manyMemories(500))).toBe(500);
  await scene.turn();
  expect(scene.questions()).toHaveLength(1);
  expect(scene.questions()[0]!.match(/Memory \d+:/g)).toHaveLength(500);
  expect(await scene.show()).toMatchObject({
    identity: { content: identity, memories: 500, leftOut: 0, isStale: false },
    context: { content: context, memories: 500 },
  });
  const { identity: first, context: shown } = await scene.show();
  expect(first!.expiresAt.getTime() - first!.at.getTime()).toBe(week);
  expect(shown!.expiresAt.getTime() - shown!.at.getTime()).toBe(hour);

  await scene.clock.advance(hour - 1);
  await scene.turn();
  expect(scene.questions()).toHaveLength(1);

  await scene.runtime.archival.add(scene.name, "The user has crossed the bay.");
  await scene.clock.advance(1);
  await scene.turn();
  expect(scene.questions()).toHaveLength(2);
  expect(scene.questions()[1]).toMatch(/^Parts: context\n/);
  expect(await scene.show()).toMatchObject({ identity: { content: identity }, context: { content: later } });

  await scene.clock.advance(week);
  await scene.runtime.archival.add(scene.name, "The user has sold the boat.");
  await scene.turn();
  expect(scene.questions()[2]).toMatch(/^Parts: identity, context\n/);
  expect(scene.questions()).toHaveLength(3);
});

test("it reports the saved share of the full history's tokens: over 80 %", async () => {
  const items = Array.from({ length: 12 }, (_, at) => `${at} ${"something that is known of the user ".repeat(3)}`);
  const identity = { name: "Ada", preferences: items, traits: items };
  const full = { text: JSON.stringify({ identity, context: { recentTopics: items, currentGoals: items } }) };
  const scene = await openSynopsisScene(runtimes, { replies: [full], memories: [] });
  await scene.runtime.archival.import(scene.name, manyMemories(500));
  const { tokens, memoryTokens, savedPercent } = await scene.runtime.synopsis.refresh(scene.name);
  expect(memoryTokens).toBeGreaterThanOrEqual(5000);
  expect(memoryTokens).toBeLessThanOrEqual(50_000);
  // As full as it may be: MUXI gives a synopsis 500 to 1,000.
  expect(tokens).toBeGreaterThan(800);
  expect(tokens).toBeLessThanOrEqual(1000);
  expect(savedPercent).toBeGreaterThanOrEqual(80);
  expect(savedPercent).toBe(Math.round(100 * (1 - tokens / memoryTokens)));
});

test("a turn does not wait for it, and shows the old one meanwhile", async () => {
  const anew = { text: JSON.stringify({ context: later }) };
  const scene = await openSynopsisScene(runtimes, { replies: [both, anew] });
  await scene.turn();
  await scene.clock.advance(hour);
  await scene.runtime.archival.add(scene.name, "The user has crossed the bay.");
  const release = scene.hold();
  await drain(scene.agent.send("one"));
  await drain(scene.agent.send("two"));
  await scene.agent.compact();
  await drain(scene.agent.send("three"));
  expect(scene.questions()).toHaveLength(1);
  expect(scene.prompts().at(-1)).toContain("a boat");
  expect((await scene.show()).context).toMatchObject({ isStale: true, content: context });
  release();
  await scene.runtime.idle();
  expect(scene.questions()).toHaveLength(2);
  expect((await scene.show()).context).toMatchObject({ isStale: false, content: later });
});

test("if the memories have not changed, its lifetime is renewed without a call", async () => {
  const scene = await openSynopsisScene(runtimes, { replies: [both] });
  await scene.turn();
  await scene.clock.advance(hour);
  await scene.turn();
  expect(scene.questions()).toHaveLength(1);
  expect((await scene.show()).context).toMatchObject({ isStale: false, at: new Date(Date.UTC(2026, 0, 1)) });
  await scene.runtime.synopsis.refresh(scene.name);
  expect(scene.questions()).toHaveLength(2);
});

test("it is shown from the next compaction on, and until then the prompt does not change", async () => {
  const scene = await openSynopsisScene(runtimes, { replies: [both] });
  await scene.turn("one");
  await scene.turn("two");
  expect(scene.prompts()[1]).toBe(scene.prompts()[0]);
  expect(scene.prompts()[1]).not.toContain("<synopsis>");
  expect(scene.agent.context().report.tiers.system.parts).not.toHaveProperty("synopsis");
  await scene.agent.compact();
  const { synopsis = 0, coreMemory = 0 } = scene.agent.context().report.tiers.system.parts;
  expect(synopsis).toBe((await scene.show()).tokens);
  expect(coreMemory).toBeGreaterThan(0);
  await scene.turn("three");
  const shown = `\n${(await scene.show()).text}`;
  expect(scene.prompts()[2]!.endsWith(shown)).toBe(true);
  await scene.runtime.archival.add(scene.name, "The user has crossed the bay.");
  await scene.clock.advance(week);
  await scene.turn("four");
  await scene.turn("five");
  expect(scene.prompts().slice(3)).toEqual([scene.prompts()[2], scene.prompts()[2]]);
});

test("in the inline layout the newest is shown at once", async () => {
  const scene = await openSynopsisScene(runtimes, { replies: [both], settings: { layout: "inline" } });
  await scene.turn("one");
  await scene.turn("two");
  expect(scene.prompts()[0]).not.toContain("<synopsis>");
  expect(scene.prompts()[1]).toContain("Name: Ada");
});

test("two concurrent processes make one call", async () => {
  const clock = createManualClock();
  const one = await openSynopsisScene(runtimes, { replies: [both], clock });
  const other = await openSynopsisScene(runtimes, { replies: [both], clock, name: one.name, memories: [] });
  const [release, releaseOther] = [one.hold(), other.hold()];
  await drain(one.agent.send("one"));
  const second = await other.runtime.agents.open(one.name, { conversation: "new" });
  await drain(second.send("two"));
  await expect(other.runtime.synopsis.refresh(one.name)).rejects.toMatchObject({ code: "synopsis_refused" });
  release();
  releaseOther();
  await Promise.all([one.runtime.idle(), other.runtime.idle()]);
  expect([...one.questions(), ...other.questions()]).toHaveLength(1);
  expect((await other.show()).identity?.content).toEqual(identity);
});

test("with `by-hand` no call is made automatically, and expired parts are not shown", async () => {
  const scene = await openSynopsisScene(runtimes, { replies: [both], settings: { synopsisRefresh: "by-hand" } });
  await scene.turn();
  expect(scene.questions()).toEqual([]);
  await scene.runtime.synopsis.refresh(scene.name);
  await scene.clock.advance(hour);
  await scene.agent.compact();
  await scene.turn();
  expect(scene.questions()).toHaveLength(1);
  expect(scene.prompts().at(-1)).toContain("Name: Ada");
  expect(scene.prompts().at(-1)).not.toContain("Recent topics");
});

test("by default it is off, without calls and not shown, but it can be refreshed manually", async () => {
  const scene = await openSynopsisScene(runtimes, { replies: [both], settings: { synopsis: "off" } });
  await scene.turn();
  expect(scene.questions()).toEqual([]);
  expect(await scene.runtime.synopsis.refresh(scene.name)).toMatchObject({
    isOn: false,
    identity: { content: identity },
  });
  await scene.agent.compact();
  await scene.turn();
  expect(scene.prompts().at(-1)).not.toContain("<synopsis>");
  const plain = await scene.runtime.agents.create({ name: `${scene.name} plain` });
  expect(plain.settings).toMatchObject({
    synopsis: "off",
    synopsisLifetimes: { identity: 604_800, context: 3600 },
    synopsisRefresh: "on-access",
  });
});

test("the demo model writes one by rules", async () => {
  const runtime = await runtimes.open({ model: "demo" });
  await runtime.agents.create({ name: "demo-synopsis" });
  const told = ["My name is Ada.", "I like green tea.", "I live in Lisbon.", "I plan to cross the bay."];
  for (const content of told) await runtime.archival.add("demo-synopsis", content);
  const made = await runtime.synopsis.refresh("demo-synopsis");
  expect(made.identity!.content).toEqual({
    name: "Ada",
    preferences: ["Likes: green tea"],
    traits: ["Lives in: Lisbon"],
  });
  expect(made.context!.content.currentGoals).toEqual(["cross the bay"]);
  expect(made.context!.content.recentTopics).toHaveLength(4);
  expect((await runtime.synopsis.refresh("demo-synopsis")).text).toBe(made.text);
});

const minutes = 60_000;

const memories = Array.from({ length: 500 }, (_, number) => ({
  text: `Memory ${number}: on that day the user spoke of the boat, its ropes and the weather.`,
}));

test("500 memories: one call for an hour of turns, conversations, plans and processes, one in the background of a later turn, deleted with the user", async () => {
  const clock = createManualClock();
  const later = { text: JSON.stringify({ context: { recentTopics: ["the bay"], currentGoals: [] } }) };
  const options = { replies: [both, later], clock, memories: [], runtime: { userId: "of-500" } };
  const scene = await openSynopsisScene(runtimes, options);
  const { runtime, name } = scene;
  expect(await runtime.archival.import(name, memories)).toBe(500);
  await scene.turn();
  expect(scene.questions()[0]?.match(/Memory \d+:/gu)).toHaveLength(500);

  // Another process, which would say something else if it were asked.
  const second = await openSynopsisScene(runtimes, { ...options, name, replies: [{ text: "I was asked." }] });
  for (let turn = 1; turn < 12; turn += 1) {
    await clock.advance(5 * minutes);
    const asked = turn % 2 === 0 ? scene : second;
    const conversation = await asked.runtime.agents.open(name, { conversation: "new" });
    await drain(conversation.send("hello"));
    await asked.runtime.idle();
    expect(asked.prompts().at(-1)).toContain("Name: Ada");
    expect((await asked.runtime.getContext(name, "the boat")).synopsis).toContain(
      "Recent topics, as of 2026-01-01: a boat",
    );
  }
  expect([scene.questions().length, second.questions().length]).toEqual([1, 0]);

  // The 60th minute: its context is over. A turn ends while the model still writes, and shows what there is.
  await runtime.archival.add(name, "The user has crossed the bay.");
  await clock.advance(5 * minutes);
  const release = scene.hold();
  const held = scene.held();
  const conversation = await runtime.agents.open(name, { conversation: "new" });
  const events = await drain(conversation.send("hello"));
  expect(events.at(-1)).toMatchObject({ type: "turn-end", stopReason: "end-turn" });
  expect(scene.prompts().at(-1)).toContain("a boat");
  await held;
  expect((await scene.show()).context).toMatchObject({ content: context, isStale: true });
  release();
  await runtime.idle();
  expect((await scene.show()).context).toMatchObject({ content: { recentTopics: ["the bay"] }, isStale: false });
  expect([scene.questions().length, second.questions().length]).toEqual([2, 0]);

  await runtime.user.delete();
  const again = await openSynopsisScene(runtimes, options);
  await again.runtime.agents.update(again.name, { synopsis: "on" });
  expect(await again.show()).toMatchObject({ identity: null, context: null, text: null });
  await drain(again.agent.send("hello"));
  expect(again.prompts().join()).not.toContain("Ada");
  const { synopsis } = await again.runtime.getContext(again.name, "the boat");
  expect(synopsis).toBeNull();
});

// MUXI: 5,000 to 50,000 tokens of full history against 500 to 1,000 of a synopsis save 80 to 95 %.
test.each([
  [5000, 1, 80],
  [5000, 0.5, 90],
  [20_000, 1, 95],
  [50_000, 1, 98],
])("of %d tokens of history, a synopsis that is %d full saves about %d %%", async (history, fullness, saved) => {
  const items = Array.from({ length: Math.round(12 * fullness) }, (_, at) => {
    return `${at} ${"something that is known of the user ".repeat(3)}`;
  });
  const identity = { name: "Ada", preferences: items, traits: items };
  const text = JSON.stringify({ identity, context: { recentTopics: items, currentGoals: items } });
  const scene = await openSynopsisScene(runtimes, { replies: [{ text }], memories: [] });
  const { runtime, name } = scene;
  const piece = (number: number) => ({ text: `Memory ${number}: ${"the ropes of the boat ".repeat(16)}` });
  await runtime.archival.import(
    name,
    Array.from({ length: Math.ceil(history / 85) }, (_, number) => piece(number)),
  );
  const { tokens, memoryTokens, savedPercent } = await runtime.synopsis.refresh(name);
  expect(memoryTokens / history).toBeGreaterThan(0.85);
  // At most the 50,000 that a request may have.
  expect(memoryTokens).toBeLessThanOrEqual(Math.min(1.15 * history, 50_000));
  expect(tokens).toBeGreaterThanOrEqual(400);
  expect(tokens).toBeLessThanOrEqual(1000);
  expect(Math.abs((savedPercent ?? Number.NaN) - saved)).toBeLessThanOrEqual(5);
});
