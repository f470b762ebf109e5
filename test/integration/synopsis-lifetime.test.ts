// What a synopsis of 500 memories costs over its whole life: one call for the lifetime, whoever asks; another one beside a turn when
// it is over; and nothing that is left of it when its user is deleted.
import { createManualClock } from "../support/manual-clock.ts";
import { createTestRuntimes, drain } from "../support/runtime.ts";
import { both, context, openSynopsisScene } from "../support/synopsis-scene.ts";
import { useScene } from "../support/use-scene.ts";

const runtimes = useScene(() => createTestRuntimes());

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
