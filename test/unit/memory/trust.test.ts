// Trust classes: every rule, over every combination of sources.
import { lowestTrust, type Trust } from "../../../src/base/message/message.ts";
import { trustOfCall, trustOfReply, trustOfSummary, watchRecalled } from "../../../src/memory/trust.ts";

const classes: readonly Trust[] = ["user", "model", "external"];
const rank = (trust: Trust): number => classes.indexOf(trust);

test.each([
  ["user", [], "user"],
  ["user", ["model"], "model"],
  ["model", ["user"], "model"],
  ["user", ["model", "external", "user"], "external"],
] as const)("the lowest of %s and %j is %s", (first, others, lowest) => {
  expect(lowestTrust([first, ...others])).toBe(lowest);
});

test("a reply has the class model, and external as soon as anything in its window has it", () => {
  expect(trustOfReply({ modules: [], window: [] })).toBe("model");
  expect(trustOfReply({ modules: ["user", "model"], window: ["user"] })).toBe("model");
  expect(trustOfReply({ modules: ["external"], window: ["user"] })).toBe("external");
  expect(trustOfReply({ modules: ["user"], window: ["user", "model", "external"] })).toBe("external");
});

test("text that a call writes is never above any of its sources, nor above model", () => {
  for (const reply of ["model", "external"] as const) {
    for (const module of classes) {
      for (const found of classes) {
        const trust = trustOfCall({ reply, modules: [module], recalled: [found], isOwn: true });
        expect(rank(trust)).toBe(Math.max(rank(reply), rank(module), rank(found)));
        expect(trustOfCall({ reply, modules: [module], recalled: [found], isOwn: false })).toBe("external");
      }
    }
  }
  expect(trustOfCall({ reply: "model", modules: ["user"], recalled: [], isOwn: undefined })).toBe("model");
});

test("the classes of all hits are recorded, whichever search found them", async () => {
  const page = (trust: Trust) => async () => ({
    hits: [{ id: "1", text: "t", at: new Date(0), trust }],
    page: 0,
    pageSize: 5,
    wordsAlone: false,
    total: 1,
  });
  const inserted: unknown[] = [];
  const watched = watchRecalled({
    archival: {
      search: page("external"),
      insert: async (...insertion) => (inserted.push(insertion), { id: "id", closest: [] }),
    },
    recall: { search: page("user"), searchDate: page("model") },
    working: { search: page("external") },
  });
  await watched.recall.search("q", 0);
  expect(watched.found.map(({ trust }) => trust)).toEqual(["user"]);
  await watched.recall.searchDate("2026-11-20", "2026-11-21", 0);
  await watched.archival.search({ query: "q", page: 0 });
  expect(watched.found.map(({ trust }) => trust)).toEqual(["user", "model", "external"]);
  await watched.archival.insert("text", { tags: ["tag"] });
  expect(inserted).toEqual([["text", { tags: ["tag"] }]]);
});

test("neighbours of a hit count as found, and are requested as the tool requests them", async () => {
  const beside = { id: "2", text: "t", role: "user" as const, at: new Date(0), trust: "external" as const };
  const hit = {
    id: "1",
    text: "t",
    at: new Date(0),
    trust: "user" as const,
    neighbours: { before: [beside], after: [] },
  };
  const asked: unknown[] = [];
  const search = async (...request: readonly unknown[]) => {
    asked.push(request);
    return { hits: [hit], page: 0, pageSize: 5, total: 1, wordsAlone: false };
  };
  const nothing = async () => ({ hits: [], page: 0, pageSize: 5, total: 0, wordsAlone: false });
  const watched = watchRecalled({
    archival: { search: nothing, insert: async () => ({ id: "id", closest: [] }) },
    recall: { search, searchDate: search },
    working: { search: nothing },
  });
  await watched.recall.search("q", 0, { neighbours: 1 });
  await watched.recall.searchDate("2026-11-20", "2026-11-21", 0, { neighbours: 2 });
  expect(asked).toEqual([
    ["q", 0, { neighbours: 1 }],
    ["2026-11-20", "2026-11-21", 0, { neighbours: 2 }],
  ]);
  expect(new Set(watched.found.map(({ id, trust }) => `${id} ${trust}`))).toEqual(new Set(["1 user", "2 external"]));
});

test("hits of working memory are recorded as well", async () => {
  const nothing = async () => ({ hits: [], page: 0, pageSize: 5, total: 0, wordsAlone: false });
  const hits = [{ id: "1", text: "t", at: new Date(0), trust: "external" as const }];
  const watched = watchRecalled({
    archival: { search: nothing, insert: async () => ({ id: "id", closest: [] }) },
    recall: { search: nothing, searchDate: nothing },
    working: { search: async () => ({ hits, page: 0, pageSize: 5, total: 1, wordsAlone: false }) },
  });
  expect((await watched.working.search("q")).hits).toEqual(hits);
  expect(watched.found).toMatchObject([{ id: "1", trust: "external" }]);
});

test("a summary of more messages than a call can have arguments has the lowest class of them", () => {
  const messages = Array.from(
    { length: 200_000 },
    (_, at) => ({ trust: at === 150_000 ? "external" : "user" }) as const,
  );
  expect(trustOfSummary("A long talk.", messages)).toBe("external");
});
