// Messages in the place of others: what stands on the thread, what stays as a branch, what hangs on the new ones. On the engine
// at hand.
import type { StoredMessage } from "../../src/store/port/records.ts";
import type { UserStore } from "../../src/store/port/store.ts";
import { openTestStore } from "../support/database.ts";
import { beginning, ids, keepFile, newMessage, newTalk, say, type Talk, takeLease } from "../support/store-builders.ts";
import { useScene } from "../support/use-scene.ts";

const test = useScene(() => openTestStore());
let ada: UserStore;

beforeAll(async () => {
  ada = test.store.as("ada");
});

const textsOf = async ({ user, conversationId }: Talk) =>
  (await user.conversations.thread(conversationId)).messages.map(({ text }) => text);

/** one, two, three; and what stands in the place of the last two. */
async function scene() {
  const talk = await newTalk(ada);
  const [one, two, three] = (await say(talk, ["one", "two", "three"])) as [StoredMessage, StoredMessage, StoredMessage];
  const newTwo = newMessage({ parentId: one.id, role: "assistant", text: "new two" });
  const newThree = newMessage({ parentId: newTwo.id, text: "new three" });
  const replacements = [
    { replaces: two.id, message: newTwo },
    { replaces: three.id, message: newThree },
  ];
  return { talk, one, two, three, newTwo, newThree, replacements };
}

it("are on the thread with their positions, and the replaced messages are a branch", async () => {
  const { talk, one, three, newThree, replacements } = await scene();
  await ada.conversations.moveLeaf(talk.lease, { from: three.id, to: one.id, replacements });
  expect(await textsOf(talk)).toEqual(["one", "new two", "new three"]);
  expect(await ada.conversations.branches(talk.conversationId)).toMatchObject([
    { id: newThree.id, isCurrent: true, messages: 3 },
    { id: three.id, isCurrent: false, messages: 3, forkId: one.id, ownMessages: 2 },
  ]);
  const [next] = await say(talk, ["four"]);
  expect(next?.parentId).toBe(newThree.id);
});

it("have the files of those that they replace", async () => {
  const talk = await newTalk(ada);
  const { file } = await keepFile(talk, "tea");
  const old = newMessage({ content: [file] });
  await ada.turns.begin(beginning(talk, { leafId: null, messages: [old], key: ids.next() }));
  const message = newMessage({ content: [{ ...file, name: "renamed.txt" }] });
  await ada.conversations.moveLeaf(talk.lease, {
    from: old.id,
    to: null,
    replacements: [{ replaces: old.id, message }],
  });
  const id = file.location.type === "attachment" ? file.location.id : "";
  expect(await ada.attachments.filesOf([id])).toMatchObject([{ part: { name: "renamed.txt" } }]);
});

it("are refused with nothing moved if they do not follow each other, or without the lease", async () => {
  const { talk, one, three, newThree, replacements } = await scene();
  const move = { from: three.id, to: one.id };
  await expect(
    ada.conversations.moveLeaf(talk.lease, { ...move, replacements: [{ replaces: three.id, message: newThree }] }),
  ).rejects.toMatchObject({ code: "input_invalid" });
  expect(await textsOf(talk)).toEqual(["one", "two", "three"]);
  await ada.leases.release(talk.lease);
  await takeLease(ada, talk.conversationId);
  await expect(ada.conversations.moveLeaf(talk.lease, { ...move, replacements })).rejects.toMatchObject({
    code: "lease_lost",
  });
  expect(await textsOf(talk)).toEqual(["one", "two", "three"]);
});
