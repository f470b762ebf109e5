// Random histories: what stands before the messages of a window covers every message that left it, once, whatever strategies,
// branches and undoing came together; and undoing everything brings the whole thread back. On the engine at hand.
// `FUZZ_TRIALS`: the number of trials, 25 by default.
import fc from "fast-check";
import type { NewCompaction } from "../../src/store/port/compaction-store.ts";
import type { CompactionStrategy, StoredMessage, ThreadRecord } from "../../src/store/port/records.ts";
import { useStore } from "../support/database.ts";
import { ids, newCompaction, newTalk, say, type Talk } from "../support/store-builders.ts";

const { test: opened } = useStore();

/** What happens to a conversation. Numbers choose among what there is, whatever its size. */
type Step =
  | { readonly type: "say"; readonly count: number }
  | { readonly type: "compact"; readonly strategy: CompactionStrategy; readonly size: number; readonly merges: boolean }
  | { readonly type: "undo" }
  | { readonly type: "move"; readonly to: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant("say" as const), count: fc.integer({ min: 1, max: 4 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("compact" as const),
      strategy: fc.constantFrom<CompactionStrategy>("recursive", "ring", "ring", "ring", "truncate"),
      size: fc.nat(6),
      merges: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("undo" as const) }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("move" as const), to: fc.nat(1000) }) },
);

/** A conversation with all messages that were ever said in it, on whatever branch. */
interface History {
  readonly talk: Talk;
  readonly said: Map<string, StoredMessage>;
}

/** The messages of the thread, oldest first, by their parents alone. */
async function threadOf({ talk, said }: History): Promise<readonly string[]> {
  const found = await talk.user.conversations.find(talk.conversationId);
  const thread: string[] = [];
  for (let id = found?.leafId ?? null; id !== null; id = said.get(id)?.parentId ?? null) thread.unshift(id);
  return thread;
}

async function carryOut(history: History, one: Step): Promise<void> {
  const { talk, said } = history;
  const { user, lease, conversationId } = talk;
  switch (one.type) {
    case "say":
      for (const message of await say(
        talk,
        Array.from({ length: one.count }, () => "x"),
      ))
        said.set(message.id, message);
      return;
    case "compact":
      return compact(talk, await user.conversations.thread(conversationId), one);
    case "undo": {
      const isCompacted = (await user.conversations.thread(conversationId)).compactions.length > 0;
      if (isCompacted) await user.compactions.undo(lease);
      else await expect(user.compactions.undo(lease)).rejects.toMatchObject({ code: "undo_refused" });
      return;
    }
    case "move": {
      const { leafId: from } = (await user.conversations.find(conversationId)) ?? { leafId: null };
      const targets = [null, ...said.keys()];
      await user.conversations.moveLeaf(lease, { from, to: targets[one.to % targets.length] ?? null });
    }
  }
}

/** As the strategies place their compactions, with a merge of the two oldest entries at times. */
async function compact(
  { user, lease }: Talk,
  { messages, compactions }: ThreadRecord,
  { strategy, size, merges }: Extract<Step, { type: "compact" }>,
): Promise<void> {
  const through = messages[size % Math.max(1, messages.length)];
  if (through === undefined) return;
  const cut = compactions.at(-1)?.throughPosition ?? 0;
  const throughPosition = cut + messages.indexOf(through) + 1;
  const fromPosition = strategy === "ring" ? cut + 1 : 1;
  const added = newCompaction({ throughId: through.id, throughPosition }, { strategy, fromPosition });
  const [first, second] = [...compactions, added];
  const made: NewCompaction[] = [added];
  if (strategy === "ring" && merges && first !== undefined && second !== undefined)
    made.push({ ...newCompaction(second, { strategy, fromPosition: first.fromPosition }), id: ids.next() });
  await user.compactions.add(lease, made);
}

async function checkWindow(history: History): Promise<void> {
  const { user, conversationId } = history.talk;
  const thread = await threadOf(history);
  const { compactions, messages } = await user.conversations.thread(conversationId);
  let cut = 0;
  for (const link of compactions) {
    expect(link.fromPosition).toBe(cut + 1);
    expect(thread[link.throughPosition - 1]).toBe(link.throughId);
    expect(link.undoneAt).toBeNull();
    cut = link.throughPosition;
  }
  expect(messages.map(({ id }) => id)).toEqual(thread.slice(cut));
}

async function undoAll(history: History): Promise<void> {
  const { user, lease, conversationId } = history.talk;
  let left = (await user.conversations.thread(conversationId)).compactions.length;
  for (let undone = 0; left > 0; undone += 1) {
    expect(undone).toBeLessThan(1000);
    expect((await user.compactions.undo(lease)).length).toBeGreaterThan(0);
    left = (await user.conversations.thread(conversationId)).compactions.length;
  }
  const { messages } = await user.conversations.thread(conversationId);
  expect(messages.map(({ id }) => id)).toEqual(await threadOf(history));
}

test("the chain covers all messages outside the window, without gap or overlap, and undoing all restores the thread", async () => {
  const user = opened.store.as("ada");
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      const history: History = { talk: await newTalk(user), said: new Map() };
      for (const one of steps) {
        await carryOut(history, one);
        await checkWindow(history);
      }
      await undoAll(history);
    }),
    { numRuns: Number(process.env["FUZZ_TRIALS"] || 25) },
  );
}, 300_000);
