// What others keep changes nothing of what a user finds, neither the order nor a score: counts of everybody's words would tell of
// them. On the engine at hand, and beside pg_textsearch, whose ranking has that fault (ADR 16).
import type { Store, UserStore } from "../../src/store/port/store.ts";
import { openStore } from "../../src/store/open-store.ts";
import { isOnServer, openTestStore } from "../support/database.ts";
import { newFolder, removeFolders } from "../support/embedded-folder.ts";
import { openStoreBesideTextsearch, type StoreBesideTextsearch } from "../support/engine-with-textsearch.ts";
import { chain, ids, newAgent } from "../support/store-builders.ts";

const kept = [
  "The merger is on Monday.",
  "Call the lawyer on Monday.",
  "The lawyer asked for user_id and max_tokens.",
  "The garden wants rain.",
  "東京の弁護士に電話する。",
  "Donaudampfschifffahrt 🎻 on Sunday",
];
const queries = ["merger lawyer", "user_id", "弁護士", "schifffahrt", "🎻", '"on Monday"', "garden on Sunday", "erge"];

interface Ada {
  readonly user: UserStore;
  readonly agentId: string;
}

let atHand: { readonly store: Store; close(): Promise<void> };
/** An embedded one, whatever the suite runs on: a server takes some texts apart otherwise. */
let embedded: Store;
let beside: StoreBesideTextsearch;

beforeAll(async () => {
  atHand = await openTestStore({ isOwn: true });
  embedded = isOnServer
    ? await openStore({ connection: { kind: "embedded", folder: newFolder(), host: "worker" } })
    : atHand.store;
});

beforeAll(async () => (beside = await openStoreBesideTextsearch()));

afterAll(async () => {
  await beside.close();
  if (isOnServer) await embedded.close();
  await atHand.close();
  await removeFolders();
});

let scenes = 0;

/** A user with passages and messages, whose agent another user may use. */
async function openAda(store: Store): Promise<Ada & { readonly other: UserStore }> {
  scenes += 1;
  const [user, other] = [store.as(`ada-${scenes}`), store.as(`ben-${scenes}`)];
  const { id: agentId } = await user.agents.create(newAgent());
  await user.agents.share(agentId, other.userId);
  await other.agents.accept(agentId);
  await keep(user, agentId, kept);
  return { user, agentId, other };
}

async function keep(user: UserStore, agentId: string, texts: readonly string[]): Promise<void> {
  const passages = texts.map((text) => ({ id: ids.next(), text, tags: [], kind: "memory" as const, at: new Date() }));
  await user.passages.add(agentId, passages, "user");
  const at = (index: number) => new Date(Date.UTC(2026, 0, 5, 10, index));
  const messages = chain(
    null,
    texts.map((text, index) => ({ text, at: at(index) })),
  );
  await user.conversations.import({ id: ids.next(), agentId, title: null, messages });
}

/** For each query, what is found in the archive and in recall, with its scores. */
async function foundBy({ user, agentId }: Ada) {
  const found = [];
  for (const text of queries) {
    const page = { agentId, text, meaning: null, page: 0, pageSize: 10 };
    const [passages, messages] = [
      await user.passages.search({ ...page, now: new Date() }),
      await user.recall.search(page),
    ];
    found.push({
      text,
      totals: [passages.total, messages.total],
      passages: passages.rows.map(({ text, explanation: { score, words } }) => ({ text, score, words })),
      messages: messages.rows.map((row) => ({ text: row.text, score: row.explanation?.score })),
    });
  }
  return found;
}

describe.each([
  ["on the engine at hand", () => atHand.store],
  ["beside pg_textsearch", () => beside.store],
])("the hits of a user %s", (_, storeOf) => {
  it("are equal to the last digit, whatever other users store, even with the same agent", async () => {
    const ada = await openAda(storeOf());
    const before = await foundBy(ada);
    // Every query finds something, or nothing could change.
    expect(before.filter(({ totals }) => totals.includes(0)).map(({ text }) => text)).toEqual([]);
    await keep(
      ada.other,
      ada.agentId,
      Array.from({ length: 150 }, (_each, index) => `Note ${index}: the merger of user_id 弁護士 🎻 goes on.`),
    );
    const strangerAgent = await ada.other.agents.create(newAgent());
    await keep(
      ada.other,
      strangerAgent.id,
      Array.from({ length: 30 }, (_each, index) => `Lawyer ${index} of the garden, on Sunday`),
    );
    expect(await foundBy(ada)).toEqual(before);
  });
});

describe("pg_textsearch in the same database", () => {
  it("changes no hit", async () => {
    const [one, other] = [await openAda(embedded), await openAda(beside.store)];
    expect(await foundBy(other)).toEqual(await foundBy(one));
  });

  it("is not used, since its ranking reveals other users' word frequencies: if this test fails, read ADR 16 again", async () => {
    const ada = await openAda(beside.store);
    const before = await beside.rankedByTextsearch(ada.user.userId, "merger lawyer");
    await keep(
      ada.other,
      ada.agentId,
      Array.from({ length: 150 }, (_each, index) => `Note ${index}: the merger goes on.`),
    );
    const after = await beside.rankedByTextsearch(ada.user.userId, "merger lawyer");
    expect(after.map(({ content }) => content).sort()).toEqual(before.map(({ content }) => content).sort());
    const scoreIn = (ranking: typeof before) => ranking.find(({ content }) => content === kept[0])!.score;
    expect(scoreIn(before)).toBeGreaterThan(0);
    expect(scoreIn(after)).not.toBeCloseTo(scoreIn(before), 3);
  });
});
