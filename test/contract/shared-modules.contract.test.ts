// Modules that several agents hold, and that users share: edits, grants, trust, deletion, forgetting. On the engine at hand.
import { ModuleAppendOnlyError, ModuleReadOnlyError, RevisionConflictError } from "../../src/base/errors.ts";
import type { ModuleChange } from "../../src/store/port/records.ts";
import type { ModuleAccess } from "../../src/store/port/shared-module-store.ts";
import type { UserStore } from "../../src/store/port/store.ts";
import { failureOf } from "../support/isolation-scene.ts";
import { useStore } from "../support/database.ts";
import { callTool, ids, newAgent, newModule, newTalk, beginning, newMessage } from "../support/store-builders.ts";

const { test, ada, ben } = useStore();

const newestFirst = { limit: 10 } as const;
const unknown = "00000000-0000-7000-8000-000000000000";

const agentOf = async (user: UserStore): Promise<string> =>
  (await user.agents.create(newAgent({ id: ids.next(), name: ids.next() }))).id;

/** A module of Ada's that these agents hold. */
async function heldBy(...agentIds: readonly string[]): Promise<string> {
  const id = ids.next();
  await ada.sharedModules.create(id, newModule("one"));
  for (const agentId of agentIds) await ada.sharedModules.attach(agentId, [id]);
  return id;
}

async function sharedWithBen(access: ModuleAccess): Promise<{ readonly id: string; readonly agentId: string }> {
  const id = await heldBy();
  const agentId = await agentOf(ben);
  await ada.sharedModules.share(id, "ben", access);
  await ben.sharedModules.accept(id);
  await ben.sharedModules.attach(agentId, [id]);
  return { id, agentId };
}

const edit = (revision: number, before: string, after: string): ModuleChange => ({
  label: "shared",
  scope: "user",
  revision,
  before,
  after,
});

const shown = async (user: UserStore, agentId: string) =>
  (await user.modules.list(agentId)).find(({ label }) => label === "shared");

describe("a module that two agents hold", () => {
  it("shows each the edits of the other, with the agent that made them", async () => {
    const [first, second] = [await agentOf(ada), await agentOf(ada)];
    const id = await heldBy(first, second);
    await ada.modules.change(first, [edit(0, "one", "one two")], { origin: "model" });
    await ada.modules.change(second, [edit(1, "one two", "one two three")], { origin: "model" });
    expect(await shown(ada, first)).toMatchObject({ id, value: "one two three", revision: 2 });
    for (const agentId of [first, second])
      expect(await ada.modules.revisions(agentId, newestFirst)).toMatchObject([
        { label: "shared", moduleId: id, agentId: second, editorId: "ada" },
        { label: "shared", moduleId: id, agentId: first, editorId: "ada" },
      ]);
    expect(await ada.sharedModules.holders(id)).toHaveLength(2);
  });

  it("refuses the second of two edits that were made from one text", async () => {
    const [first, second] = [await agentOf(ada), await agentOf(ada)];
    const id = await heldBy(first, second);
    const edits = await Promise.allSettled(
      [first, second].map((agentId) => ada.modules.change(agentId, [edit(0, "one", agentId)], { origin: "model" })),
    );
    const refused = edits.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
    expect(refused).toEqual([expect.any(RevisionConflictError)]);
    expect(await ada.sharedModules.revisions(id, 10)).toHaveLength(1);
  });

  it("refuses an edit of another module that had its label, also one of another user's to append to", async () => {
    const { id, agentId } = await sharedWithBen("append");
    await expect(ben.modules.change(agentId, [edit(0, "two", "two three")], { origin: "model" })).rejects.toThrow(
      RevisionConflictError,
    );
    expect(await ada.sharedModules.find(id)).toMatchObject({ value: "one", revision: 0 });
  });

  it("is named with its revision and version by the start of a turn of either", async () => {
    const [first, second] = [await agentOf(ada), await agentOf(ada)];
    const id = await heldBy(first, second);
    await ada.modules.change(first, [edit(0, "one", "two")], { origin: "model" });
    await ada.sharedModules.update(id, { revision: 1, label: "renamed" });
    const talk = await newTalk(ada, second);
    const begun = await ada.turns.begin(beginning(talk, { messages: [newMessage()], leafId: null, key: ids.next() }));
    expect(begun!.modules).toContainEqual({ label: "renamed", id, revision: 1, version: 1 });
  });

  it("stays for the others when one agent is deleted, and without any if it was created on its own", async () => {
    const [first, second] = [await agentOf(ada), await agentOf(ada)];
    const id = await heldBy(first, second);
    await ada.modules.change(first, [edit(0, "one", "two")], { origin: "model" });
    await ada.agents.delete(first);
    expect(await shown(ada, second)).toMatchObject({ value: "two" });
    expect(await ada.sharedModules.revisions(id, 10)).toMatchObject([{ agentId: null, after: "two" }]);
    await ada.agents.delete(second);
    expect(await ada.sharedModules.find(id)).toMatchObject({ value: "two" });
  });

  it("that was made for one of them is deleted with the last holder, unless it was detached", async () => {
    const [first, second] = [await agentOf(ada), await agentOf(ada)];
    const [persona, human] = await ada.modules.list(first);
    for (const { label } of await ada.modules.list(second)) {
      const held = (await ada.modules.list(second)).find((module) => module.label === label)!;
      await ada.sharedModules.detach(second, held.id);
    }
    await ada.sharedModules.attach(second, [persona!.id]);
    await ada.agents.delete(first);
    expect(await ada.sharedModules.find(human!.id)).toBeNull();
    expect((await ada.modules.list(second)).map(({ id }) => id)).toEqual([persona!.id]);
    await ada.agents.delete(second);
    expect(await ada.sharedModules.find(persona!.id)).toBeNull();
    expect(await ada.sharedModules.list({ order: "newest", limit: 100, label: "human" })).not.toEqual([]);
  });

  it("that another agent holds is unchanged by a detachment from one that does not hold it", async () => {
    const [holder, other] = [await agentOf(ada), await agentOf(ada)];
    const [persona] = await ada.modules.list(holder);
    expect(await ada.sharedModules.detach(other, persona!.id)).toBe(false);
    await ada.agents.delete(holder);
    expect(await ada.sharedModules.find(persona!.id)).toBeNull();
  });

  it("is forgotten in once", async () => {
    const [first, second] = [await agentOf(ada), await agentOf(ada)];
    const id = await heldBy(first, second);
    await ada.sharedModules.update(id, { revision: 0, value: "the harbour is closed" });
    const places = await ada.forgetting.apply({
      request: { texts: ["harbour"], messages: [], passages: [] },
      objects: { searched: { files: [], nodes: [] }, files: [], nodes: [] },
      record: { id: ids.next(), origin: "user", requestedAt: new Date() },
      pending: [],
    });
    expect(places!.map(({ kind }) => kind)).toEqual(["module", "revision"]);
    for (const agentId of [first, second])
      expect(await shown(ada, agentId)).toMatchObject({ value: expect.not.stringContaining("harbour"), revision: 2 });
  });
});

describe("labels", () => {
  it("are unique per agent: neither an attached nor a relabelled module takes that of another one", async () => {
    const agentId = await agentOf(ada);
    const id = await heldBy(agentId);
    const other = await heldBy();
    await expect(ada.sharedModules.attach(agentId, [other])).rejects.toMatchObject({ code: "module_exists" });
    await expect(ada.sharedModules.update(id, { revision: 0, label: "human" })).rejects.toMatchObject({
      code: "module_exists",
    });
    expect(await ada.sharedModules.find(id)).toMatchObject({ label: "shared" });
  });

  it("of a module that a user cannot use are not attached", async () => {
    const agentId = await agentOf(ada);
    for (const id of [unknown, "no-uuid"])
      await expect(ada.sharedModules.attach(agentId, [id])).rejects.toMatchObject({ code: "module_unknown" });
  });
});

describe("a grant of a module", () => {
  it("gives nothing before it is accepted", async () => {
    const id = await heldBy();
    await ada.sharedModules.share(id, "ben", "write");
    expect(await ben.sharedModules.find(id)).toBeNull();
    expect((await ben.sharedModules.offers()).filter((offer) => offer.moduleId === id)).toMatchObject([
      { ownerId: "ada", label: "shared", access: "write" },
    ]);
    await expect(ben.sharedModules.attach(await agentOf(ben), [id])).rejects.toMatchObject({ code: "module_unknown" });
    expect(await ben.sharedModules.accept(id)).toBe(true);
    expect(await ben.sharedModules.find(id)).toMatchObject({ value: "one", access: "write", trust: "external" });
    expect(await ada.sharedModules.recipients(id)).toMatchObject([{ userId: "ben", state: "accepted" }]);
  });

  it("to read lets the other user change nothing", async () => {
    const { id, agentId } = await sharedWithBen("read");
    expect(await shown(ben, agentId)).toMatchObject({
      value: "one",
      readOnly: true,
      ownerId: "ada",
      trust: "external",
    });
    const change = ben.modules.change(agentId, [edit(0, "one", "one two")], { origin: "user" });
    await expect(change).rejects.toThrow(ModuleReadOnlyError);
    await expect(ben.sharedModules.update(id, { revision: 0, value: "two" })).rejects.toThrow(ModuleReadOnlyError);
    expect(await ada.sharedModules.find(id)).toMatchObject({ value: "one", revision: 0 });
  });

  it("to append takes a text that begins with the old one, with the lowest trust, and refuses any other", async () => {
    const { id, agentId } = await sharedWithBen("append");
    await ben.modules.change(agentId, [edit(0, "one", "one two")], { origin: "user" });
    const change = ben.modules.change(agentId, [edit(1, "one two", "two")], { origin: "user" });
    await expect(change).rejects.toThrow(ModuleAppendOnlyError);
    await expect(ben.sharedModules.update(id, { revision: 1, value: "x" })).rejects.toThrow(ModuleAppendOnlyError);
    expect(await ada.sharedModules.find(id)).toMatchObject({ value: "one two", revision: 1, trust: "external" });
    expect(await ada.sharedModules.revisions(id, 10)).toMatchObject([
      { editorId: "ben", agentId: null, trust: "external", after: "one two" },
    ]);
  });

  it("to append refuses the result of a tool that replaces the text", async () => {
    const { agentId } = await sharedWithBen("append");
    const result = await callTool(await newTalk(ben, agentId));
    const replaced = ben.turns.commitToolResult({ ...result, changes: [edit(0, "one", "two")] });
    await expect(replaced).rejects.toThrow(ModuleAppendOnlyError);
    await ben.turns.commitToolResult({ ...result, changes: [edit(0, "one", "one two")] });
    expect(await shown(ben, agentId)).toMatchObject({ value: "one two", revision: 1 });
  });

  it("to write takes any text, but changes no setting", async () => {
    const { id, agentId } = await sharedWithBen("write");
    await ben.modules.change(agentId, [edit(0, "one", "two")], { origin: "user" });
    await expect(ben.sharedModules.update(id, { revision: 1, limit: 5 })).rejects.toThrow(ModuleReadOnlyError);
    expect(await ben.sharedModules.delete(id)).toBe(false);
    expect(await ada.sharedModules.find(id)).toMatchObject({ value: "two", limit: 2000, trust: "external" });
  });

  it("shows the other user no revision from before it was accepted", async () => {
    const id = await heldBy();
    await ada.sharedModules.update(id, { revision: 0, value: "two" });
    await ada.sharedModules.share(id, "ben", "read");
    await ben.sharedModules.accept(id);
    await ada.sharedModules.update(id, { revision: 1, value: "three" });
    expect(await ben.sharedModules.revisions(id, 10)).toMatchObject([{ revision: 2, after: "three" }]);
  });

  it("that ends takes the module from the other user's agents", async () => {
    const { id, agentId } = await sharedWithBen("write");
    expect(await ada.sharedModules.unshare(id, "ben")).toBe(true);
    expect(await shown(ben, agentId)).toBeUndefined();
    expect(await ben.sharedModules.find(id)).toBeNull();
    expect(await test.ownerRows("select from agent_modules where module_id = $1::uuid", [id])).toEqual([]);
    expect(await ada.sharedModules.find(id)).not.toBeNull();
  });
});

describe("the database itself", () => {
  const change = (id: string, set: string) => (user: string) =>
    test.userRows(user, `update modules set ${set} where id = $1::uuid returning 1`, [id]);

  it.each([
    ["a replaced text under a grant to append", "append", "value = 'two', revision = 1, trust = 'external'"],
    ["a higher trust", "write", "value = 'two', revision = 1, trust = 'user'"],
    ["a higher trust of a line", "write", `value = 'two', revision = 1, trust = 'external', line_trust = '["user"]'`],
    ["another revision", "write", "value = 'two', revision = 9, trust = 'external'"],
    ["another label", "write", "label = 'taken'"],
    ["another owner", "write", "user_id = 'ben'"],
  ] as const)("refuses %s", async (_, access, set) => {
    const { id } = await sharedWithBen(access);
    expect(await failureOf(change(id, set)("ben"))).toMatch(/^(PM001|42501)$/);
    expect(await ada.sharedModules.find(id)).toMatchObject({
      value: "one",
      revision: 0,
      trust: "user",
      label: "shared",
    });
  });

  it("changes no row of a user without a grant, or with one to read", async () => {
    const { id } = await sharedWithBen("read");
    for (const user of ["ben", "eve"]) expect(await change(id, "value = 'two'")(user)).toEqual([]);
  });

  it("gives a grant to nobody but the module's owner to give", async () => {
    const { id } = await sharedWithBen("read");
    const raise = "update module_grants set access = 'write' where module_id = $1::uuid returning 1";
    expect(await failureOf(test.userRows("ben", raise, [id]))).toBe("42501");
    expect(await ben.sharedModules.share(id, "eve", "read")).toBe(false);
    expect(await ada.sharedModules.recipients(id)).toMatchObject([{ userId: "ben", access: "read" }]);
  });
});
