// Both searches use a configured reranker, and keep their order without it.
import type { Reranker } from "../../src/model/reranking/reranker.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { useRuntimes } from "../support/runtime.ts";

const runtimes = useRuntimes();
let runtime: Runtime;
let plain: Runtime;
let isDown = false;
const lines: string[] = [];
const asked: { readonly query: string; readonly texts: readonly string[] }[] = [];

/** Prefers the texts with the most exclamation marks. */
const reranker: Reranker = {
  name: "test/loud",
  async score(query, texts) {
    if (isDown) throw new TypeError("out of order");
    asked.push({ query, texts });
    return texts.map((text) => text.split("!").length);
  },
  close: async () => undefined,
};

const said = ["the boat", "the boat and the other boat", "a boat! a boat!", "boat!"];
const loudFirst = ["a boat! a boat!", "boat!"];

beforeAll(async () => {
  runtime = await runtimes.open({ reranker, log: (line) => lines.push(line) });
  plain = await runtimes.open();
  await runtime.agents.create({ name: "sailor", human: "" });
  for (const text of said) {
    const messages = [{ role: "user" as const, text, speaker: "Ada", at: new Date("2026-01-01T10:00:00Z") }];
    await runtime.conversations.import("sailor", { title: text, messages });
    await runtime.archival.add("sailor", text);
  }
});

const textsOf = async (found: Promise<{ readonly hits: readonly { readonly text: string }[] }>) =>
  (await found).hits.map(({ text }) => text);

describe.each(["recall", "archival"] as const)("%s search", (name) => {
  it("orders its hits by the reranker, page by page", async () => {
    isDown = false;
    const pages = [0, 1].map((page) => textsOf(runtime[name].search("sailor", "boat", { page, pageSize: 2 })));
    const [first, second] = await Promise.all(pages);
    expect(first).toEqual(loudFirst);
    expect([...first!, ...second!].toSorted()).toEqual(said.toSorted());
    expect(asked.at(-1)!.query).toBe("boat");
    expect(asked.at(-1)!.texts).toHaveLength(4);
  });

  it("does not ask it for a quoted query", async () => {
    const before = asked.length;
    await runtime[name].search("sailor", '"boat"');
    expect(asked).toHaveLength(before);
  });

  it("keeps its order and reports it when the reranker fails", async () => {
    isDown = true;
    const found = await textsOf(runtime[name].search("sailor", "boat"));
    expect(found).toEqual(await textsOf(plain[name].search("sailor", "boat")));
    expect(lines).toEqual(["The reranker test/loud failed, so hits are not reordered: out of order"]);
    isDown = false;
    await runtime[name].search("sailor", "boat");
    expect(lines.splice(0)[1]).toBe("The reranker test/loud recovered.");
  });
});

it("a model without an address or a folder is refused", async () => {
  await expect(runtimes.open({ rerankModel: "some-model" })).rejects.toMatchObject({ code: "config_invalid" });
  await expect(runtimes.open({ rerankModel: "transformers/none", embeddingFolder: "/nowhere" })).rejects.toMatchObject({
    code: "config_invalid",
  });
});
