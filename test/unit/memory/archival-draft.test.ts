// What a tool finds of what it has itself put aside, and how tags narrow a search.
import { createArchivalDraft } from "../../../src/memory/archival/archival-draft.ts";
import { ToolError } from "../../../src/errors.ts";
import { ChatMemory } from "../../../src/memory/core/chat-memory.ts";
import type { ArchivalQuery } from "../../../src/tool/tool.ts";
import { archivalMemorySearch } from "../../../tools/archival-memory-search.ts";
import { callToolOf, emptyContext } from "../../support/call-tool.ts";

const memory = new ChatMemory();

test.each([
  [{}, 2],
  [{ tags: [] }, 2],
  [{ tags: ["red", "sea"] }, 2],
  [{ tags: ["sea"] }, 1],
  [{ allTags: ["red", "boat"] }, 1],
  [{ allTags: ["red", "sea", "boat"] }, 0],
] as const)("a new insertion is found by %j", async (tags, count) => {
  const draft = createArchivalDraft(
    {
      search: async () => ({ hits: [], page: 0, pageSize: 5, total: 0, wordsAlone: false }),
      embedPending: () => undefined,
      idle: async () => undefined,
    },
    { ids: { next: () => "id" }, now: () => new Date(0), trust: "user" },
  );
  await draft.insert("A red boat", { tags: ["red", "boat"] });
  await draft.insert("A red sail", { tags: ["red", "sea"] });
  expect((await draft.search({ query: "red", page: 0, ...tags })).total).toBe(count);
});

test("a passage over the limit of all surfaces is refused with what the model can do, and counts code points", async () => {
  const draft = createArchivalDraft(
    {
      search: async () => ({ hits: [], page: 0, pageSize: 5, total: 0, wordsAlone: false }),
      embedPending: () => undefined,
      idle: async () => undefined,
    },
    { ids: { next: () => "id" }, now: () => new Date(0), trust: "user" },
  );
  await draft.insert("⛵".repeat(1_000_000));
  await draft.insert("🚢".repeat(1_000_000));
  await expect(draft.insert("🚢".repeat(1_000_001))).rejects.toThrow(
    new ToolError(
      "Nothing was stored: expected at most 1,000,000 characters for a passage, got 1,000,001. Insert it in shorter parts.",
    ),
  );
  expect(draft.inserted).toHaveLength(2);
});

test("an inserted passage has the time of its insertion", async () => {
  let seconds = 0;
  const draft = createArchivalDraft(
    {
      search: async () => ({ hits: [], page: 0, pageSize: 5, total: 0, wordsAlone: false }),
      embedPending: () => undefined,
      idle: async () => undefined,
    },
    { ids: { next: () => "id" }, now: () => new Date((seconds += 1) * 1000), trust: "user" },
  );
  await draft.insert("A red boat");
  expect(draft.inserted).toMatchObject([{ at: new Date(1000) }]);
  expect((await draft.search({ query: "red", page: 0 })).hits).toMatchObject([{ at: new Date(1000) }]);
});

test.each([
  [{ tags: ["a", "b"] }, { tags: ["a", "b"] }],
  [{ tags: ["a", "b"], tag_match_mode: "any" }, { tags: ["a", "b"] }],
  [{ tags: ["a", "b"], tag_match_mode: "all" }, { allTags: ["a", "b"] }],
  [{ tag_match_mode: "all" }, {}],
])("archival_memory_search with %j searches for %j", async (given, asked) => {
  const queries: ArchivalQuery[] = [];
  const { archival } = emptyContext(memory);
  const search = (query: ArchivalQuery) => {
    queries.push(query);
    return archival.search(query);
  };
  const result = await callToolOf([archivalMemorySearch], {
    memory,
    name: "archival_memory_search",
    args: { query: "x", ...given },
    context: { archival: { ...archival, search } },
  });
  expect(result.status).toBe("ok");
  expect(queries).toEqual([{ query: "x", page: 0, ...asked }]);
});

test("archival_memory_search refuses another mode", async () => {
  const args = { query: "x", tags: ["a"], tag_match_mode: "none" };
  const result = await callToolOf([archivalMemorySearch], { memory, name: "archival_memory_search", args });
  expect(result).toMatchObject({ status: "failed" });
  expect(result.text).toContain("tag_match_mode");
});
