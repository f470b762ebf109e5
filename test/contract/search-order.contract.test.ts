// Both searches return the same hits in the same order on every engine. The expected order is in `golden/search-order.json`:
// for each question of the shipped cases the numbers of the best messages, and those of the best passages. `UPDATE_ORDER=1`
// writes the file; both engines must then agree with it. On the engine at hand.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { useStore } from "../support/database.ts";
import { chain, ids, newAgent } from "../support/store-builders.ts";
import { vectorOf } from "../support/word-embedder.ts";

const golden = new URL("golden/search-order.json", new URL("../pins/", import.meta.url));
const cases = new URL("../../evals/", import.meta.url);
const kind = { name: "test/order", embedder: "test/order", dimensions: 64 };
const depth = 8;

interface Life {
  readonly name: string;
  readonly conversations: readonly {
    readonly at: string;
    readonly messages: readonly {
      readonly role: "user" | "assistant";
      readonly speaker?: string;
      readonly text: string;
    }[];
  }[];
  readonly questions: readonly { readonly question: string }[];
}

const lives = readdirSync(cases)
  .filter((file) => file.endsWith(".json"))
  .toSorted()
  .map((file) => JSON.parse(readFileSync(new URL(file, cases), "utf8")) as Partial<Life>)
  .filter((life): life is Life => life.conversations !== undefined);

const { ada } = useStore();

/** The messages of a life, each also as a passage with the same id. */
async function keep({ conversations }: Life) {
  const agent = newAgent();
  await ada.agents.create(agent);
  const all = [];
  for (const { at, messages } of conversations) {
    const said = chain(
      null,
      messages.map(({ role, speaker, text }, minute) => ({
        role,
        text,
        ...(speaker === undefined ? {} : { speaker }),
        at: new Date(Date.parse(at) + minute * 60_000),
      })),
    );
    await ada.conversations.import({ id: ids.next(), agentId: agent.id, title: null, messages: said });
    all.push(...said);
  }
  const passages = all.map(({ id, text, at }) => ({ id, text, tags: [], kind: "memory" as const, at }));
  await ada.passages.add(agent.id, passages, "user");
  const vectors = all.map(({ id, text }) => ({ id, vector: vectorOf(text, kind) }));
  await ada.recall.addVectors(agent.id, {
    ...kind,
    rows: vectors.map(({ id, vector }) => ({ messageId: id, vector })),
  });
  await ada.passages.addVectors(agent.id, {
    ...kind,
    rows: vectors.map(({ id, vector }) => ({ passageId: id, vector })),
  });
  return { agentId: agent.id, placeOf: new Map(all.map(({ id }, place) => [id, place])) };
}

it("the order of hits is that of the golden file", async () => {
  const found: Record<string, string> = {};
  for (const life of lives) {
    const { agentId, placeOf } = await keep(life);
    for (const { question: text } of life.questions) {
      const query = {
        agentId,
        text,
        meaning: { ...kind, vector: vectorOf(text, kind), floor: 0.3 },
        page: 0,
        pageSize: depth,
      };
      const messages = await ada.recall.search(query);
      const passages = await ada.passages.search({ ...query, now: new Date("2026-05-01T00:00:00Z") });
      const places = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => placeOf.get(id)).join(" ");
      found[`${life.name}: ${text}`] = `${places(messages.rows)} | ${places(passages.rows)}`;
    }
  }
  if (process.env["UPDATE_ORDER"] === "1") writeFileSync(golden, `${JSON.stringify(found, null, 2)}\n`);
  expect(found).toEqual(JSON.parse(readFileSync(golden, "utf8")));
});
