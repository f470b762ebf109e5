// How archival search ranks what words and meaning have found, and when it asks the index over vectors. On the engine at hand.
import type { NewPassage, PassageHit, PassageQuery } from "../../src/store/port/passage-store.ts";
import { openDatabase } from "../../src/store/connection/database.ts";
import { searchIn } from "../../src/store/search/passage-search.ts";
import type { Transaction } from "../../src/store/connection/transaction.ts";
import { useStore } from "../support/database.ts";
import { multiplyRows } from "../support/many-rows.ts";
import { ids, newAgent, vectorOf } from "../support/store-builders.ts";
import { useScene } from "../support/use-scene.ts";

const [embedder, dimensions] = ["test/ranking", 256] as const;

const { test, ada } = useStore({ isOwn: true });
let agentId: string;

const owner: Pick<Transaction, "run"> = {
  run: (statement, parameters) => test.ownerRows(statement, parameters.map(String)),
};

beforeEach(async () => (agentId = (await ada.agents.create(newAgent())).id));

const meaning = { vector: vectorOf(1, dimensions), embedder, dimensions, floor: 0.35 };

/** Adds texts with the cosines of their vectors to that of a question. */
async function add(texts: readonly (readonly [string, number])[], importance?: number): Promise<void> {
  const given = importance === undefined ? {} : { importance };
  const added = texts.map(
    ([text]): NewPassage => ({ id: ids.next(), text, tags: [], kind: "memory", at: new Date(), ...given }),
  );
  await ada.passages.add(agentId, added, "user");
  const rows = added.map(({ id }, at) => ({ passageId: id, vector: vectorOf(texts[at]![1], dimensions) }));
  await ada.passages.addVectors(agentId, { embedder, dimensions, rows });
}

async function search(query: Partial<PassageQuery>): Promise<readonly PassageHit[]> {
  const { rows } = await ada.passages.search({
    agentId,
    text: "",
    meaning,
    page: 0,
    pageSize: 200,
    now: new Date(),
    ...query,
  });
  return rows;
}

describe("a word that more than 1,000 passages contain", () => {
  it("selects hits only if the other words select fewer than ten, or if it is the only word", async () => {
    await add([["The harbour is closed.", 0]]);
    // In the newest 200, from which the frequency of a word is estimated, "turbine" is in all, too.
    const content = `'The harbour' || case when n < 300 then ' turbine' else '' end || ' on day ' || n ||
      case when n % 50 = 0 then ' kumquat' when n in (7, 9) then ' quince' else '' end`;
    await multiplyRows(owner, {
      table: "passages",
      from: `agent_id = '${agentId}'`,
      named: {
        id: `md5('${agentId}' || n)::uuid`,
        content,
        search_text: `lower(${content})`,
        content_hash: "sha256(convert_to(n::text, 'UTF8'))",
        created_at: "now() - n * interval '1 minute'",
      },
      rows: 1200,
    });
    const found = async (text: string, word: string) => {
      const hits = await search({ text, meaning: null });
      return { hits: hits.length, withWord: hits.filter((hit) => hit.text.includes(word)).length };
    };
    expect(await found("kumquat harbour", "kumquat")).toEqual({ hits: 24, withWord: 24 });
    expect(await found("quince harbour", "quince")).toEqual({ hits: 100, withWord: 2 });
    expect(await found("kumquat turbine", "turbine")).toMatchObject({ hits: 100 });
    // Each of these contains the word as a part.
    await add(Array.from({ length: 12 }, (_, n) => [`Harbourmasters of the year ${1900 + n}`, 0] as const));
    expect(await found("harbour", "The harbour")).toMatchObject({ hits: 100 });
  });
});

describe("a hit of archival search", () => {
  it("by words has its cosine even if fifty others are nearer, and below the floor", async () => {
    const others = Array.from({ length: 60 }, (_, n) => [`Meadow ${n}`, 0.9 - n / 1000] as const);
    await add([...others, ["The harbour is closed.", 0.1]]);
    const hits = await search({ text: "harbour" });
    expect(hits).toHaveLength(51);
    const found = hits.find(({ text }) => text.includes("harbour"));
    expect(found?.explanation).toMatchObject({ words: { rank: 1 }, meaning: { rank: null } });
    expect(found?.explanation.meaning?.cosine).toBeCloseTo(0.1, 6);
  });

  it("by words and by meaning is one hit, with the rank of each", async () => {
    await add([
      ["The harbour is closed.", 0.5],
      ["The meadow is closed.", 0.6],
    ]);
    const hits = await search({ text: "harbour" });
    expect(hits.map(({ explanation: { words, meaning: near } }) => [words?.rank, near?.rank])).toEqual([
      [1, 2],
      [undefined, 1],
    ]);
  });

  it("by meaning ranks before one by words if the embedder has a weight for it", async () => {
    await add([
      ["The harbour is closed.", 0],
      ["The ships cannot enter.", 0.9],
    ]);
    const first = async (weight: number): Promise<string | undefined> =>
      (await search({ text: "which harbour", meaning: { ...meaning, weight } }))[0]?.text;
    expect([await first(1), await first(3)]).toEqual(["The harbour is closed.", "The ships cannot enter."]);
  });

  it("with the identifier of the query ranks higher than one without", async () => {
    await add([
      ["The user has an id; an id, a user, the user and the id.", 0],
      ["Look at user_id there.", 0],
    ]);
    const hits = await search({ text: "where is user_id", meaning: null });
    expect(hits.map(({ text, explanation: { identifier } }) => [text.includes("_"), identifier])).toEqual([
      [true, true],
      [false, false],
    ]);
  });

  it("with an identifier is found by other separators, or none", async () => {
    await add([
      ["The serial number is QX7-44K.", 0],
      ["The flight is LH 438.", 0],
      ["Order AB1290Z again.", 0],
    ]);
    const found = async (text: string) => (await search({ text, meaning: null })).map((hit) => hit.text);
    expect(await found("QX744K")).toEqual(["The serial number is QX7-44K."]);
    expect(await found("LH438")).toEqual(["The flight is LH 438."]);
    expect(await found("AB-1290-Z")).toEqual(["Order AB1290Z again."]);
  });

  it("by meaning alone reports the query's text, even if a hundred others contain its words more often", async () => {
    const others = Array.from({ length: 100 }, (_, n) => [`gate gate gate harbour harbour harbour ${n}`, 0] as const);
    await add([...others, ["To the left of it stands the old harbour gate of the town.", 0.9]]);
    const hits = await search({ text: "harbour gate" });
    const found = hits.find(({ text }) => text.includes("harbour gate of"));
    expect(found?.explanation).toMatchObject({ words: null, meaning: { rank: 1 }, literal: true });
    expect(hits.filter(({ explanation }) => explanation.literal)).toHaveLength(1);
  });

  it("by words is ranked by its importance too, if that has a weight", async () => {
    await add([["The harbour, the harbour.", 0]], 0.1);
    await add([["A harbour in the fog.", 0]], 1);
    const contents = async (importance: number) =>
      (await search({ text: "harbour", meaning: null, weights: { importance } })).map(({ text }) => text);
    expect((await contents(0))[0]).toBe("The harbour, the harbour.");
    expect((await contents(10))[0]).toBe("A harbour in the fog.");
  });
});

describe("the index over vectors", () => {
  const database = useScene(() => openDatabase({ connection: test.connection }));

  beforeAll(async () => {
    // The first vector of a width makes its table.
    await ada.passages.addVectors((await ada.agents.create(newAgent())).id, { embedder, dimensions, rows: [] });
    await test.ownerRows(
      `create index ranking_hnsw on passages_${dimensions} using hnsw (embedding vector_cosine_ops)`,
    );
  });

  afterAll(() => test.ownerRows("drop index ranking_hnsw"));

  async function scans(tx: Transaction): Promise<number> {
    const [read] = await tx.run<{ readonly scans: number }>(
      `select sum(pg_stat_get_xact_numscans(oid))::int as scans
       from pg_class where oid = 'ranking_hnsw'::regclass or oid in (select inhrelid from pg_inherits where inhparent = 'ranking_hnsw'::regclass)`,
      [],
    );
    return read!.scans;
  }

  it("is not asked for an archive of 3999 vectors, and is for one of 4001", async () => {
    await add([["The harbour is closed.", 0.5]]);
    // Statistics are taken of what is committed, and without them the planner takes one row for all that a user has.
    const grow = (table: string, holder: string, named: Readonly<Record<string, string>>) =>
      multiplyRows(owner, { table, from: `${holder} = '${agentId}'`, named, rows: 3998 });
    const made = `md5('${agentId}' || n)::uuid`;
    const content = "'A meadow, ' || n";
    const content_hash = "sha256(convert_to(n::text, 'UTF8'))";
    await grow("passages", "agent_id", { id: made, content, search_text: content, content_hash });
    const embedding = `('[1,' || n / 1000.0 || repeat(',0', ${dimensions - 2}) || ']')::vector(${dimensions})`;
    await grow(`passages_${dimensions}`, "archive_id", { passage_id: made, embedding });
    const isAsked = async (): Promise<boolean> => {
      await test.ownerRows(`analyze passages_${dimensions}`);
      return database.transaction("ada", async (tx) => {
        const before = await scans(tx);
        const query = { agentId, text: "harbour", meaning, page: 0, pageSize: 10, now: new Date() };
        const found = await searchIn({ statement: tx.run }, query);
        // Fifty by meaning, and what the word has found.
        expect([found.total, found.rows.length]).toEqual([51, 10]);
        return (await scans(tx)) > before;
      });
    };
    expect(await isAsked()).toBe(false);
    await add([
      ["A field.", 0.1],
      ["A wood.", 0.1],
    ]);
    expect(await isAsked()).toBe(true);
  });
});
