// The configuration file: reading it, and errors for invalid files.
import { writeFile, mkdir } from "node:fs/promises";
import { inspect } from "node:util";
import path from "node:path";
import { readNamedFile, readUsualFile } from "../../../../src/config/file/read-config-file.ts";
import { ConfigError } from "../../../../src/base/errors.ts";
import { useFolderOfTest } from "../../../support/folders.ts";

const folder = useFolderOfTest();

const write = (text: string): Promise<void> => writeFile(path.join(folder(), "config.json"), text);

describe("readUsualFile", () => {
  it("reads JSON, with or without a byte order mark", async () => {
    await write('\uFEFF{"model": "demo"}');
    expect(await readUsualFile(folder())).toEqual({
      path: path.join(folder(), "config.json"),
      content: { model: "demo" },
    });
  });

  it("finds nothing without a file or a folder", async () => {
    expect((await readUsualFile(folder())).content).toBeUndefined();
    expect((await readUsualFile(path.join(folder(), "nowhere"))).content).toBeUndefined();
  });

  it.each([
    ["a comma too many", '{\n  "model": "demo",\n}', "(line 3, column 1)"],
    ["an unfinished file", '{\n  "model":', "(line 2, column 11)"],
    ["an empty file", "", "config.json"],
    ["no JSON at all", "model = demo", "config.json"],
  ])("reports path, location and advice for %s", async (_, text, place) => {
    await write(text);
    const reading = readUsualFile(folder());
    await expect(reading).rejects.toThrow(/config\.json.* is not valid JSON\. Fix it, or remove it/u);
    await expect(reading).rejects.toThrow(place);
    await expect(reading).rejects.toMatchObject({ code: "config_invalid" });
  });

  it("does not quote the file, which may contain keys", async () => {
    await write('{"openaiApiKey": sk-hunter2}');
    const error: unknown = await readUsualFile(folder()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    // Its causes and its stack are checked, too.
    expect(inspect(error, { depth: 10 })).not.toContain("hunter2");
  });

  it("says why a file cannot be read", async () => {
    await mkdir(path.join(folder(), "config.json"));
    await expect(readUsualFile(folder())).rejects.toThrow(/cannot be read: it is a folder/u);
  });

  it("reads YAML as well, by either name", async () => {
    await writeFile(path.join(folder(), "config.yml"), "model: demo\n");
    expect(await readUsualFile(folder())).toEqual({
      path: path.join(folder(), "config.yml"),
      content: { model: "demo" },
    });
  });

  it("names both of two files", async () => {
    await write("{}");
    await writeFile(path.join(folder(), "config.yaml"), "model: demo\n");
    await expect(readUsualFile(folder())).rejects.toThrow(
      /Expected one configuration file, got .*config\.json and .*config\.yaml\. Remove one/u,
    );
  });

  it.each([
    ["binary", Buffer.from([0x7b, 0xff, 0xfe, 0x00]), "cannot be read: it is not UTF-8 text"],
    ["huge", "a".repeat(1_000_001), "has more than 1000000 bytes"],
  ])("refuses a %s file", async (_, content, expected) => {
    await writeFile(path.join(folder(), "config.yaml"), content);
    await expect(readUsualFile(folder())).rejects.toThrow(expected);
  });
});

describe("readNamedFile", () => {
  const named = (name: string, text: string): Promise<string> => {
    const file = path.join(folder(), name);
    return writeFile(file, text).then(() => file);
  };

  it("requires the file to exist", async () => {
    const file = path.join(folder(), "none.yaml");
    await expect(readNamedFile(file)).rejects.toThrow(`${file} does not exist`);
    await expect(readNamedFile(path.join(await named("x", ""), "y.json"))).rejects.toThrow("does not exist");
  });

  it.each([
    ["a.json", '{"model": "demo"}'],
    ["a.yaml", "\uFEFFmodel: demo"],
    ["a.YML", "model: demo"],
    ["no-extension", ' \n{"model": "demo"}'],
    ["other.conf", "# mine\nmodel: demo\n"],
  ])("detects by its name and its beginning what %s is", async (name, text) => {
    expect((await readNamedFile(await named(name, text))).content).toEqual({ model: "demo" });
  });

  it("treats an empty YAML file as one without settings, and an empty JSON file as broken", async () => {
    expect((await readNamedFile(await named("a.yaml", "# nothing\n"))).content).toEqual({});
    await expect(readNamedFile(await named("a.json", ""))).rejects.toThrow("is not valid JSON");
  });
});
