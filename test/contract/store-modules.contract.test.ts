// Core memory as it is stored: modules, changes by compare-and-swap, revisions. On the engine at hand.
import type { ModuleChange } from "../../src/store/port/records.ts";
import { useStore } from "../support/database.ts";
import { human, newAgent, oddTexts, persona } from "../support/store-builders.ts";
import { nextMillisecond } from "../support/until.ts";

const { test, ada } = useStore();
let agentId: string;

beforeEach(async () => (agentId = (await ada.agents.create(newAgent())).id));

function edit(change: Partial<ModuleChange>): ModuleChange {
  const { revision = 0 } = change;
  return { label: "human", scope: "user", revision, before: revision === 0 ? "" : "Ada", after: "Ada", ...change };
}

describe("modules", () => {
  it("are added once, after the existing ones", async () => {
    const tasks = { ...human, label: "tasks", value: "[]", limit: 500, readOnly: true, description: null };
    await ada.modules.addMissing(agentId, [tasks, { ...human, value: "ignored" }]);
    await ada.modules.addMissing(agentId, [tasks, persona]);
    const facts = { ownerId: "ada", revision: 0, version: 0, trust: "user", lineTrust: null };
    const stored = { ...facts, id: expect.any(String) as string };
    expect(await ada.modules.list(agentId)).toEqual([
      { ...persona, ...stored },
      { ...human, ...stored },
      { ...tasks, ...stored },
    ]);
    await ada.modules.addMissing(agentId, []);
  });

  it("are added once by concurrent writers", async () => {
    const labels = Array.from({ length: 10 }, (_, round) => `notes ${round}`);
    for (const label of labels) {
      await Promise.all(Array.from({ length: 6 }, () => ada.modules.addMissing(agentId, [{ ...human, label }])));
    }
    expect((await ada.modules.list(agentId)).map((module) => module.label)).toEqual(["persona", "human", ...labels]);
    expect(
      await test.ownerRows("select label from modules where user_id = 'ada' and label like 'notes%'"),
    ).toHaveLength(labels.length);
  });

  it("keep their text and their limit, even if the text is longer", async () => {
    const long = { ...human, label: "long", value: "x".repeat(30), limit: 10 };
    await ada.modules.addMissing(agentId, [long]);
    expect((await ada.modules.list(agentId)).at(-1)).toMatchObject({ ...long, revision: 0, trust: "user" });
  });

  it.each(oddTexts)("hold any text: %s", async (_, text) => {
    await ada.modules.change(agentId, [edit({ after: text })], { origin: "api" });
    expect((await ada.modules.list(agentId))[1]).toMatchObject({ value: text, revision: 1 });
    expect((await ada.modules.revisions(agentId, { limit: 1 }))[0]).toMatchObject({
      before: "",
      after: text,
      origin: "api",
    });
  });

  it("have the class of their last change, and an import always has the lowest", async () => {
    const trustOf = async () => (await ada.modules.list(agentId))[1]!.trust;
    expect(await trustOf()).toBe("user");
    await ada.modules.change(agentId, [edit({})], { origin: "model", trust: "model" });
    expect(await trustOf()).toBe("model");
    await ada.modules.change(agentId, [edit({ revision: 1, trust: "user" })], { origin: "import", trust: "user" });
    expect(await trustOf()).toBe("external");
    await ada.modules.change(agentId, [edit({ revision: 2 })], { origin: "api" });
    await ada.modules.change(agentId, [edit({ revision: 3 })], { origin: "model" });
    const revisions = await ada.modules.revisions(agentId, { limit: 10 });
    expect(revisions.map(({ origin, trust }) => [origin, trust])).toEqual([
      ["model", "external"],
      ["api", "user"],
      ["import", "external"],
      ["model", "model"],
    ]);
  });

  it("have classes of their lines, and a revision that of what it wrote", async () => {
    const lineTrust = ["external", "user"] as const;
    const lines = { after: "Zebra\nAda", trust: "external", lineTrust, written: "user" } as const;
    const external = [{ kind: "tool", id: "1", name: "read_mail" }] as const;
    await ada.modules.change(agentId, [edit({ ...lines, external })], { origin: "model", trust: "external" });
    expect((await ada.modules.list(agentId))[1]).toMatchObject({ trust: "external", lineTrust });
    const [revision] = await ada.modules.revisions(agentId, { limit: 1 });
    expect(revision).toMatchObject({ trust: "user", lineTrust, external: [] });
    await ada.modules.change(agentId, [edit({ ...lines, revision: 1, before: lines.after })], { origin: "import" });
    expect((await ada.modules.list(agentId))[1]).toMatchObject({ trust: "external", lineTrust: null });
    expect((await ada.modules.revisions(agentId, { limit: 1 }))[0]).toMatchObject({
      trust: "external",
      lineTrust: null,
    });
  });

  it("cannot get a higher class from an import: the database refuses it", async () => {
    await ada.modules.change(agentId, [edit({})], { origin: "import" });
    const raised = test.ownerRows("update revisions set trust = 'user' where agent_id = $1::uuid", [agentId]);
    await expect(raised).rejects.toMatchObject({ code: "store_failed" });
  });

  it("change all together or not at all", async () => {
    const good = edit({});
    const stale = edit({ label: "persona", scope: "agent", revision: 3, before: "I am Scout." });
    await expect(ada.modules.change(agentId, [good, stale], { origin: "user" })).rejects.toMatchObject({
      code: "revision_conflict",
    });
    await expect(ada.modules.change(agentId, [good, good], { origin: "user" })).rejects.toMatchObject({
      code: "revision_conflict",
    });
    await expect(ada.modules.change(agentId, [good, edit({ label: "x" })], { origin: "user" })).rejects.toThrow(
      /persona, human/u,
    );
    expect((await ada.modules.list(agentId)).map((module) => module.revision)).toEqual([0, 0]);
    await ada.modules.change(agentId, [], { origin: "user" });
    await ada.modules.change(agentId, [good, { ...stale, revision: 0 }], { origin: "user" });
    expect((await ada.modules.list(agentId)).map((module) => module.revision)).toEqual([1, 1]);
  });

  it("accept one of several changes of one revision", async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, (_, index) =>
        ada.modules.change(agentId, [edit({ after: `${index}` })], { origin: "user" }),
      ),
    );
    expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(1);
    expect(await ada.modules.revisions(agentId, { limit: 10 })).toHaveLength(1);
  });

  it("return their revisions between two numbers, both included", async () => {
    for (const revision of [0, 1, 2, 3]) await ada.modules.change(agentId, [edit({ revision })], { origin: "user" });
    const numbers = async (span: { readonly from?: number; readonly through?: number }) =>
      (await ada.modules.revisions(agentId, { label: "human", limit: 10, ...span })).map(({ revision }) => revision);
    expect(await numbers({ from: 3 })).toEqual([4, 3]);
    expect(await numbers({ through: 2 })).toEqual([2, 1]);
    expect(await numbers({ from: 2, through: 3 })).toEqual([3, 2]);
    expect(await numbers({ from: 9 })).toEqual([]);
  });

  it("apply several changes of one module in order, or none of them", async () => {
    const first = edit({ after: "a" });
    const second = edit({ revision: 1, before: "a", after: "ab" });
    const stale = edit({ revision: 1, before: "a", after: "ac" });
    await expect(ada.modules.change(agentId, [first, second, stale], { origin: "user" })).rejects.toMatchObject({
      code: "revision_conflict",
    });
    expect((await ada.modules.list(agentId))[1]).toMatchObject({ value: "", revision: 0 });
    await ada.modules.change(agentId, [first, second], { origin: "user" });
    expect((await ada.modules.list(agentId))[1]).toMatchObject({ value: "ab", revision: 2 });
  });

  it("return their revisions newest first, by label and up to a limit", async () => {
    await ada.modules.change(agentId, [edit({ after: "a" })], { origin: "user" });
    await nextMillisecond();
    await ada.modules.change(agentId, [edit({ label: "persona", scope: "agent", before: "I am Scout.", after: "p" })], {
      origin: "import",
    });
    await nextMillisecond();
    await ada.modules.change(agentId, [edit({ revision: 1, before: "a", after: "", undoes: 1 })], { origin: "user" });
    const all = await ada.modules.revisions(agentId, { limit: 10 });
    expect(all.map(({ label, revision, undoes }) => [label, revision, undoes])).toEqual([
      ["human", 2, 1],
      ["persona", 1, null],
      ["human", 1, null],
    ]);
    expect(
      (await ada.modules.revisions(agentId, { label: "human", limit: 1 })).map(({ revision }) => revision),
    ).toEqual([2]);
    expect(await ada.modules.revisions(agentId, { label: "nobody", limit: 1 })).toEqual([]);
  });
});
