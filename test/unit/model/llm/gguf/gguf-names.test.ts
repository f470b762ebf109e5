// Names of models that are files: what is one, which file it is, and what is said of one that cannot be used.
import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { systemClock } from "../../../../../src/base/clock.ts";
import { createIds } from "../../../../../src/base/ids.ts";
import { createModels, isGgufReady, type ModelSources } from "../../../../../src/runtime/compose/create-models.ts";
import { openModelProfiles } from "../../../../../src/runtime/compose/profiled-model.ts";
import { ggufPathOf } from "../../../../../src/runtime/compose/create-models.ts";
import { parseConfig } from "../../../../../src/config/config.ts";
import { configDefaults } from "../../../../../src/config/settings.ts";
import { ConfigError } from "../../../../../src/base/errors.ts";
import { createScriptedModel } from "../../../../../src/model/llm/scripted/scripted-model.ts";
import { priceOf } from "../../../../../src/runtime/models/model-price.ts";
import { ggufBytes } from "../../../../support/gguf-bytes.ts";
import { useFolder } from "../../../../support/folders.ts";

const folders = { workingFolder: "/work", home: "/home/ada" };

describe("ggufPathOf", () => {
  it.each([
    ["small.gguf", "/work/small.gguf"],
    ["./models/../small.GGUF", "/work/small.GGUF"],
    ["/models/my model 你好.gguf", "/models/my model 你好.gguf"],
    ["~/small.gguf", "/home/ada/small.gguf"],
    ["gguf//models/small.gguf", "/models/small.gguf"],
    ["gguf/~/small.gguf", "/home/ada/small.gguf"],
    ["./openai/small.gguf", "/work/openai/small.gguf"],
  ])("%s is %s", (name, path) => {
    expect(ggufPathOf(name, folders)).toBe(path);
    expect(ggufPathOf(`gguf/${path}`, folders)).toBe(path);
  });

  it.each(["demo", "openai/small.gguf", "anthropic/x.gguf", "small.gguf.part", "", "gguf"])(
    "%s is not a file",
    (name) => {
      expect(ggufPathOf(name, folders)).toBeNull();
    },
  );
});

describe("--model", () => {
  const parse = (model: string): string =>
    parseConfig({ flags: { model, "data-dir": "/data" }, env: {}, file: undefined }).config.model;

  it.each(["small.gguf", "~/my models/small.gguf", "gguf//models/small.gguf", "../a.GGUF"])("accepts %s", (model) => {
    expect(parse(model)).toBe(model);
  });

  it.each(["", ".gguf", "small.gguf ", "a\nb.gguf", "a\u0000.gguf", "small.bin", "a".repeat(1e6)])(
    "refuses an invalid name",
    (model) => {
      expect(() => parse(model)).toThrow(/--model: expected .*or a path that ends in \.gguf/u);
    },
  );
});

describe("createModels", () => {
  const folder = useFolder();
  beforeAll(() => {
    writeFileSync(join(folder, "small.gguf"), ggufBytes());
    writeFileSync(join(folder, "text.gguf"), "hello");
  });

  const log = () => undefined;
  let sources: ModelSources;
  beforeAll(async () => {
    sources = { own: [], profiles: await openModelProfiles(undefined, log), clock: systemClock, ids: createIds(), log };
  });

  it("reports a faulty file before a missing package", () => {
    const models = createModels(configDefaults, sources);
    expect(() => models.resolve(join(folder, "none.gguf"), null)).toThrow(/cannot be read: there is no such file/u);
    expect(() => models.resolve(join(folder, "text.gguf"), null)).toThrow(/to be a GGUF file/u);
  });

  it("says what to install if the package is missing", () => {
    expect(isGgufReady()).toBe(false);
    const models = createModels(configDefaults, sources);
    const path = relative(process.cwd(), join(folder, "small.gguf"));
    expect(() => models.resolve(path, null)).toThrow(ConfigError);
    expect(() => models.resolve(path, null)).toThrow(/npm install node-llama-cpp@3 .*or choose another `model`/u);
  });

  it("closes the models that it created, and no model of the program", async () => {
    let closed = 0;
    const own = { ...createScriptedModel({ name: "mine", replies: [] }), close: async () => void (closed += 1) };
    const models = createModels(configDefaults, { ...sources, own: [own] });
    expect(models.resolve("mine", null)).toBe(models.find("mine", null));
    expect(models.resolve("demo", null)).toBe(models.resolve("demo", null));
    await models.close();
    expect(closed).toBe(0);
    expect(() => models.resolve("mistral", null)).toThrow(/ends in \.gguf, got "mistral"/u);
  });
});

it("has a price of zero, unless one is configured", () => {
  expect(priceOf("gguf//models/small.gguf", {})).toEqual({ input: 0, cachedInput: 0, output: 0 });
  const own = { input: 1, cachedInput: 1, output: 1 };
  expect(priceOf("gguf//models/small.gguf", { "gguf/*": own })).toBe(own);
});
