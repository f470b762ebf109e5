// The configuration file: read when there is one, and told of when it is broken.
import { mkdtemp, rm, writeFile, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { readConfigFile } from "../../../src/cli/read-config-file.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "palimpsest-config-"));
});

afterEach(() => rm(folder, { recursive: true }));

const write = (text: string): Promise<void> => writeFile(path.join(folder, "config.json"), text);

describe("readConfigFile", () => {
  it("reads JSON, with or without a byte order mark", async () => {
    await write('\uFEFF{"model": "demo"}');
    expect(await readConfigFile(folder)).toEqual({
      path: path.join(folder, "config.json"),
      content: { model: "demo" },
    });
  });

  it("finds nothing where there is no file or no folder", async () => {
    expect((await readConfigFile(folder)).content).toBeUndefined();
    expect((await readConfigFile(path.join(folder, "nowhere"))).content).toBeUndefined();
  });

  it.each([
    ["a comma too many", '{\n  "model": "demo",\n}', "(line 3, column 1)"],
    ["an unfinished file", '{\n  "model":', "(line 2, column 11)"],
    ["an empty file", "", "config.json"],
    ["no JSON at all", "model = demo", "config.json"],
  ])("tells path, place and what to do about %s", async (_, text, place) => {
    await write(text);
    const reading = readConfigFile(folder);
    await expect(reading).rejects.toThrow(/config\.json.* is not valid JSON\. Mend it, or remove it/u);
    await expect(reading).rejects.toThrow(place);
    await expect(reading).rejects.toMatchObject({ code: "config_invalid" });
  });

  it("does not quote the file, which may hold keys", async () => {
    await write('{"openaiApiKey": sk-hunter2}');
    await expect(readConfigFile(folder)).rejects.not.toThrow(/hunter2/u);
  });

  it("says why a file cannot be read", async () => {
    await mkdir(path.join(folder, "config.json"));
    await expect(readConfigFile(folder)).rejects.toThrow(/cannot be read: it is a folder/u);
  });
});
