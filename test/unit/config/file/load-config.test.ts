// Configurations from real files: which file is used, precedence, and secrets from a secrets file.
import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { inspect } from "node:util";
import { loadConfig, type LoadConfigOptions } from "../../../../src/config/file/load-config.ts";
import { useFolderOfTest } from "../../../support/folders.ts";

const folder = useFolderOfTest();

beforeEach(() => mkdir(path.join(folder(), "home")));

async function write(name: string, text: string, mode = 0o600): Promise<string> {
  const file = path.join(folder(), name);
  await writeFile(file, text);
  await chmod(file, mode);
  return file;
}

const load = ({ env = {}, ...options }: LoadConfigOptions = {}) =>
  loadConfig({ ...options, env: { PALIMPSEST_DATA_DIR: path.join(folder(), "home"), ...env } });

async function failureOf(options: LoadConfigOptions): Promise<string> {
  const error: unknown = await load(options).catch((thrown: unknown) => thrown);
  // Everything that a program could print of it.
  return inspect(error, { depth: 10 });
}

describe("the file in use", () => {
  it("is the named one, by a flag before the environment, else that of the data folder", async () => {
    const [one, two] = [
      await write("one.yaml", "model: openai/one"),
      await write("two.json", '{"model": "openai/two"}'),
    ];
    await write("home/config.yaml", "model: openai/usual");
    const usual = path.join(folder(), "home", "config.yaml");
    const modelOf = async (options: LoadConfigOptions) => {
      const { config, file } = await load(options);
      return [config.model, file];
    };
    expect(await modelOf({})).toEqual(["openai/usual", usual]);
    expect(await modelOf({ env: { PALIMPSEST_CONFIG: one } })).toEqual(["openai/one", one]);
    expect(await modelOf({ env: { PALIMPSEST_CONFIG: "" } })).toEqual(["openai/usual", usual]);
    expect(await modelOf({ env: { PALIMPSEST_CONFIG: one }, flags: { config: two } })).toEqual(["openai/two", two]);
    expect(await modelOf({ file: one, env: { PALIMPSEST_CONFIG: two } })).toEqual(["openai/one", one]);
    expect(await modelOf({ env: { HOME: folder() }, flags: { config: "~/one.yaml" } })).toEqual(["openai/one", one]);
  });

  it("may be missing, unless it is named", async () => {
    expect((await load()).file).toBeNull();
    expect(await failureOf({ file: path.join(folder(), "none.yaml") })).toContain("does not exist");
    expect(await failureOf({ flags: { config: " " } })).toContain("--config: expected the path of a file");
    expect(await failureOf({ file: folder() })).toContain("it is a folder");
  });

  it("may set the data folder if it is named itself", async () => {
    const file = await write("one.yaml", `dataDir: ${folder()}/elsewhere`);
    expect((await loadConfig({ file })).config.dataDir).toBe(`${folder()}/elsewhere`);
    expect((await load({ file })).config.dataDir).toBe(path.join(folder(), "home"));
    await write("home/config.yaml", "dataDir: /elsewhere");
    expect(await failureOf({})).toContain("dataDir is not allowed");
  });
});

it("is overridden by the environment and by flags, and overrides the defaults", async () => {
  const file = await write("c.yaml", "model: openai/file\nuserId: file\nmemory: {working: {max_memory_mb: 7}}");
  const env = { PALIMPSEST_MODEL: "openai/env", PALIMPSEST_USER: "env" };
  const { config } = await load({ file, env, flags: { model: "openai/flag" } });
  expect(config).toMatchObject({ model: "openai/flag", userId: "env", workingMemoryMegabytes: 7, maxSteps: 50 });
});

describe("secrets", () => {
  const text = "memory: {persistent: {connection_string: '${{ secrets.POSTGRES_URI }}'}}";
  const uri = "postgresql://ada:hunter22@db/x";

  it("come from the environment, else from secrets.json beside the file or from the named file", async () => {
    const file = await write("c.yaml", text);
    const urlOf = async (env: Readonly<Record<string, string>>) => (await load({ file, env })).config.databaseUrl;
    await write("secrets.json", JSON.stringify({ POSTGRES_URI: uri }));
    expect(await urlOf({})).toBe(uri);
    expect(await urlOf({ POSTGRES_URI: "postgres://env/x" })).toBe("postgres://env/x");
    const named = await write("mine.json", JSON.stringify({ POSTGRES_URI: "postgres://mine/x" }));
    expect(await urlOf({ PALIMPSEST_SECRETS: named })).toBe("postgres://mine/x");
  });

  it.each([0o640, 0o604, 0o660, 0o777])("are not read from a file that others can read (%o)", async (mode) => {
    const file = await write("c.yaml", text);
    const secrets = await write("secrets.json", JSON.stringify({ POSTGRES_URI: uri }), mode);
    expect(await failureOf({ file })).toContain(
      `${secrets} contains secrets, but other users may read it. Run: chmod 600 ${secrets}`,
    );
    // It is not read unless it is needed.
    expect((await load({ file, env: { POSTGRES_URI: uri } })).config.databaseUrl).toBe(uri);
  });

  it.each([
    ["", "is not valid JSON"],
    ['{"POSTGRES_URI": hunter22}', "is not valid JSON"],
    ["[]", "expected an object of strings"],
    ['{"POSTGRES_URI": ["hunter22"]}', 'got an array for "POSTGRES_URI"'],
    ['{"POSTGRES_URI": ""}', 'got an empty string for "POSTGRES_URI"'],
    ['{"OTHER": "hunter22"}', "(no such key)"],
    ['{"POSTGRES_URI": "mysql://hunter22"}', "memory.persistent.connection_string: expected postgresql://"],
    ['{"POSTGRES_URI": "postgres://hunter22\\u0000"}', "got one with a NUL character"],
    ['{"POSTGRES_URI": "postgres://hunter22\\ud800"}', "half of a surrogate pair"],
  ])("that are %s are an error without their values", async (content, expected) => {
    const file = await write("c.yaml", text);
    await write("secrets.json", content);
    const failure = await failureOf({ file });
    expect(failure).toContain(expected);
    expect(failure).not.toContain("hunter22");
  });

  it("that are missing are named with the searched places", async () => {
    const file = await write("c.yaml", text);
    expect(await failureOf({ file })).toContain(
      `${file}: memory.persistent.connection_string: \${{ secrets.POSTGRES_URI }} is not defined. Searched the environment (POSTGRES_URI is not set, or empty) and ${path.join(folder(), "secrets.json")} (no such file).`,
    );
  });
});
