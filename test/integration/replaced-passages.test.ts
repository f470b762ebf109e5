// What the model saves in place of an older passage: how it is told, found, undone, forgotten and moved.
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { drain, useRuntimes } from "../support/runtime.ts";
import { openScene } from "../support/scene.ts";

const runtimes = useRuntimes();

const kiwi = "Elsa is allergic to kiwi.";
const pineapple = "Elsa is allergic to pineapple.";

function insert(content: string, replaces?: readonly string[]) {
  return { name: "archival_memory_insert", arguments: { content, ...(replaces === undefined ? {} : { replaces }) } };
}

/** The agent's passages, oldest first, and whether each is replaced. */
async function saved(runtime: Runtime, name: string): Promise<readonly (readonly [string, boolean])[]> {
  const passages = await runtime.archival.list(name, { order: "oldest" });
  return passages.map(({ text, replacedBy }) => [text, replacedBy !== undefined]);
}

/** An agent with an old passage, whose model saves the new one, and then again with the id that it was shown. */
async function corrected() {
  const shown: string[] = [];
  const scene = await openScene(runtimes, ({ messages }, index) => {
    const last = JSON.stringify(messages.at(-1));
    shown.push(last);
    const again = () => insert(pineapple, [/saved by the user, id ([0-9a-f]{8})/u.exec(last)?.[1] ?? "none"]);
    return [
      { toolCalls: [insert(pineapple)] },
      { toolCalls: [again()] },
      { text: "Noted." },
      { toolCalls: [{ name: "archival_memory_search", arguments: { query: "Is Elsa allergic to kiwi?" } }] },
      { text: "No." },
    ][index];
  });
  const { id } = await scene.runtime.archival.add(scene.name, kiwi);
  await drain(scene.agent.send("It is pineapple."));
  return { ...scene, shown, old: id };
}

test("an insertion shows the old passage, replaces it by its id, and a search says so", async () => {
  const { agent, runtime, name, shown, old } = await corrected();
  expect(shown[1]).toContain(`saved by the user, id ${old.slice(-8)}: ${kiwi}`);
  expect(await saved(runtime, name)).toEqual([
    [kiwi, true],
    [pineapple, false],
  ]);
  const [latest] = await runtime.archival.list(name, { order: "newest" });
  expect(shown[2]).toContain(`Saved in archival memory, id ${latest!.id.slice(-8)}, in place of ${old.slice(-8)}.`);
  await drain(agent.send("Is it kiwi?"));
  const [first, second] = [...(shown[4] ?? "").matchAll(/\[[12]\] [^[]*?: Elsa is allergic to \w+/gu)].map(
    ([line]) => line,
  );
  expect(first).toContain("pineapple");
  expect(second).toMatch(new RegExp(`id ${old.slice(-8)}, replaced by [0-9a-f]{8}: .*kiwi`, "u"));
  const { found } = await runtime.getContext(name, "Elsa allergic kiwi", { recent: 0 });
  const texts = found.map(({ text }) => text);
  expect(texts).toContain(pineapple);
  expect(texts).not.toContain(kiwi);
});

test("undoing the turn makes the old passage current again", async () => {
  const { agent, runtime, name } = await corrected();
  await agent.pop(6);
  expect(await saved(runtime, name)).toEqual([[kiwi, false]]);
});

test.each([
  ["the new passage", "pineapple", [[kiwi, false]]],
  ["the old one", "Elsa is allergic to kiwi", [[pineapple, false]]],
])("forgetting %s leaves no link to it", async (_title, text, left) => {
  const { runtime, name } = await corrected();
  const passages = await runtime.archival.list(name);
  const gone = passages.filter((passage) => passage.text.includes(text)).map(({ id }) => id);
  await runtime.forget.apply({ passages: gone });
  expect(await saved(runtime, name)).toEqual(left);
});

test("an agent file keeps the link, and one with a circle is refused", async () => {
  const { runtime, name } = await corrected();
  const file = JSON.parse(JSON.stringify(await runtime.agents.export(name)));
  const other = await runtimes.open({
    userId: "other",
    model: "scripted",
    models: [createScriptedModel({ replies: [] })],
  });
  await other.agents.import(file);
  expect(await saved(other, name)).toEqual([
    [kiwi, true],
    [pineapple, false],
  ]);
  const [one, two] = file.palimpsest.agents[0].passages;
  one.replacedBy = two.id;
  two.replacedBy = one.id;
  await expect(other.agents.import(file, { name: "copy" })).rejects.toThrow("replaces itself");
});

test("an id of another user's passage is refused, and nothing is stored", async () => {
  const { old } = await corrected();
  const model = createScriptedModel({
    replies: [{ toolCalls: [insert(pineapple, [old.slice(-8)])] }, { text: "Done." }],
  });
  const ben = await runtimes.open({ userId: "ben", model: "scripted", models: [model] });
  const agent = await ben.agents.open("ben", { create: {} });
  await drain(agent.send("It is pineapple."));
  expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("you saved no passage with the id");
  expect(await saved(ben, "ben")).toEqual([]);
});
