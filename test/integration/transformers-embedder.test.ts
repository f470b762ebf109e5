// The adapter for sentence encoders in a folder: a real thread, and in place of the optional package a library of our own
// with the same three names, which tells in its vectors what it was asked. Needs dist/ (npm run build).
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openEmbedder } from "../../src/runtime/compose/open-embedder.ts";
import { configDefaults } from "../../src/config/settings.ts";
import type { Embedder } from "../../src/model/embedding/embedder.ts";
import {
  createTransformersEmbedder,
  type TransformersEmbedderOptions,
} from "../../src/model/embedding/transformers/transformers-embedder.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { useFolderOfTest } from "../support/folders.ts";

// Four dimensions: tokens of the text, and what the model was loaded with. Every token has the same vector but the first.
const library = `
export const env = {};
const facts = {};
export const AutoTokenizer = {
  async from_pretrained(name, options) {
    facts.isOffline = env.allowRemoteModels === false && options.local_files_only === true;
    facts.name = name;
    return async (text, { truncation, max_length }) => {
      const words = text.split(/\\s+/u).filter((word) => word !== "" && word !== "\\ufffd");
      if (words[0] === "break") throw new TypeError("cannot read that");
      const length = Math.min(words.length + 2, truncation ? max_length : Infinity);
      return { input_ids: { dims: [1, length] }, nan: words[0] === "nan" };
    };
  },
};
export const AutoModel = {
  async from_pretrained(name, options) {
    if (name !== facts.name) throw new TypeError("another model");
    const code = { fp32: 1, fp16: 2, q8: 3 }[options.dtype];
    return async ({ input_ids: { dims }, nan }) => {
      const length = dims[1];
      const first = [length, 0, 0, 0];
      const others = [length, code, facts.isOffline && options.local_files_only ? 5 : 0, env.localModelPath.length];
      const data = Array.from({ length }, (_, at) => (at === 0 ? first : others)).flat();
      return { last_hidden_state: { dims: [1, length, 4], data: nan ? data.map(() => NaN) : data } };
    };
  },
};
`;

const folder = useFolderOfTest();
const opened: Embedder[] = [];

beforeEach(async () => {
  await writeFile(join(folder(), "library.mjs"), library);
  await lay({
    "config.json": '{"hidden_size": 4, "max_position_embeddings": 512}',
    "tokenizer.json": "{}",
    "onnx/model.onnx": "",
  });
});

afterEach(() => Promise.all(opened.splice(0).map((embedder) => embedder.close())));

/** Null takes a file away. */
async function lay(files: Readonly<Record<string, string | null>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder(), "some", "encoder", name);
    await mkdir(dirname(file), { recursive: true });
    await (text === null ? rm(file) : writeFile(file, text));
  }
}

async function open(changes: Partial<TransformersEmbedderOptions> = {}): Promise<Embedder> {
  const options = { model: "some/encoder", folder: folder(), library: join(folder(), "library.mjs"), ...changes };
  const embedder = await createTransformersEmbedder(options);
  opened.push(embedder);
  return embedder;
}

/** The numbers in the proportion that the library of these tests gave them, for a text of so many tokens. */
async function reportedOf(embedder: Embedder, text: string): Promise<readonly number[]> {
  const [vector] = await embedder.embed([text]);
  const [length = 0, ...others] = vector ?? [];
  return others.map((value) => Number((value / length).toFixed(4)));
}

describe("createTransformersEmbedder", () => {
  it("reads width and window from the model's files, and loads nothing before the first call", async () => {
    expect(await open()).toMatchObject({ name: "transformers/some/encoder", dimensions: 4, windowTokens: 512 });
    await lay({
      "tokenizer_config.json": '{"model_max_length": 1e30}',
      "sentence_bert_config.json": '{"max_seq_length": 64}',
    });
    expect((await open()).windowTokens).toBe(64);
    expect((await open({ windowTokens: 100 })).windowTokens).toBe(100);
    expect((await open({ library: join(folder(), "nothing.mjs") })).dimensions).toBe(4);
  });

  it("reads only files of the folder, pools over all tokens and returns unit vectors", async () => {
    const embedder = await open();
    const [vector] = await embedder.embed(["one two"]);
    expect(Math.hypot(...(vector ?? []))).toBeCloseTo(1, 6);
    // 4 tokens, of which 3 have the numbers: 3/4 of code, of 5 for "offline", and of the folder's length.
    expect(await reportedOf(embedder, "one two")).toEqual(
      [1, 5, folder().length].map((number) => Number(((number * 0.75) / 4).toFixed(4))),
    );
  });

  it("uses the first token's vector if the model specifies it", async () => {
    await lay({ "1_Pooling/config.json": '{"pooling_mode_cls_token": true}' });
    expect((await (await open()).embed(["one two"]))[0]).toEqual([1, 0, 0, 0]);
  });

  it.each([
    ["onnx/model_quantized.onnx", 3],
    ["onnx/model_fp16.onnx", 2],
  ])("runs the existing weights: %s", async (file, code) => {
    await lay({ "onnx/model.onnx": null, [file]: "" });
    const [first = 0] = await reportedOf(await open(), "one two");
    expect(first).toBeCloseTo((code * 0.75) / 4, 4);
  });

  it("cuts a text at the window, and accepts a huge one", async () => {
    const embedder = await open({ windowTokens: 10 });
    const [first = 0] = await reportedOf(embedder, "word ".repeat(1000));
    expect(first).toBeCloseTo(0.9 / 10, 4);
    expect(await embedder.embed(["a".repeat(1_000_000), "😀".repeat(1000), "日本語", "</human> %_"])).toHaveLength(4);
  });

  it("distinguishes texts in which the model finds no token", async () => {
    const vectors = await (await open()).embed(["", " ", "\ud800", ""]);
    expect(vectors[0]).toEqual(vectors[3]);
    expect(vectors[0]).not.toEqual(vectors[2]);
    for (const vector of vectors) expect(Math.hypot(...(vector ?? []))).toBeCloseTo(1, 6);
  });

  it.each(["break", "nan"])("fails for a text that breaks the model (%s), and continues", async (text) => {
    const embedder = await open();
    await expect(embedder.embed([text])).rejects.toMatchObject({ code: "embedding_failed" });
    expect(await embedder.embed(["one"])).toHaveLength(1);
  });

  it("says why it cannot be loaded", async () => {
    await writeFile(join(folder(), "broken.mjs"), "throw new Error('no such processor');");
    const embedder = await open({ library: join(folder(), "broken.mjs") });
    await expect(embedder.embed(["one"])).rejects.toMatchObject({
      code: "embedding_failed",
      message: expect.stringContaining("no such processor"),
    });
  });

  it.each<[string, Readonly<Record<string, string | null>>, RegExp]>([
    ["no config.json", { "config.json": null }, /has no config\.json/],
    ["no tokenizer", { "tokenizer.json": null }, /has no tokenizer\.json/],
    ["no weights", { "onnx/model.onnx": null }, /has no onnx\/model\.onnx or/],
    ["a width that is none", { "config.json": '{"hidden_size": "4"}' }, /expected hidden_size/],
    ["a broken config.json", { "config.json": "{" }, /config\.json cannot be read as JSON/],
    ["a config.json that is no object", { "config.json": "7" }, /expected a JSON object/],
  ])("refuses a folder with %s", async (_title, files, message) => {
    await lay(files);
    await expect(open()).rejects.toMatchObject({ code: "config_invalid", message: expect.stringMatching(message) });
  });

  it("says how to install a missing package", async () => {
    const { library: _own, ...options } = { model: "some/encoder", folder: folder(), library: "" };
    await expect(createTransformersEmbedder(options)).rejects.toMatchObject({
      code: "config_invalid",
      message: expect.stringContaining("npm install @huggingface/transformers"),
    });
  });
});

test("the settings name the folder, or it is in the data folder", async () => {
  const config = { ...configDefaults, embedding: "transformers/none", baseUrl: null, openaiApiKey: null };
  const parts = { own: undefined, clock: createManualClock(), log: () => undefined };
  const failure = (changes: object) =>
    openEmbedder({ ...config, ...changes }, parts).catch((error: Error) => error.message);
  expect(await failure({ embeddingFolder: "/one", dataDir: "/two" })).toContain("The model in /one/none has no");
  expect(await failure({ dataDir: "/two" })).toContain("The model in /two/models/none has no");
  expect(await failure({})).toContain("expected `embeddingFolder` or `dataDir`");
});
