// Saving a choice: existing content of the files, permissions, and files that cannot be written.
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { loadConfig } from "../../../../src/config/file/load-config.ts";
import { saveSettings, writePrivately } from "../../../../src/config/file/save-file.ts";
import type { SettingChanges } from "../../../../src/config/setting-changes.ts";
import { useFolderOfTest } from "../../../support/folders.ts";

const folder = useFolderOfTest();

const at = (name: string): string => path.join(folder(), name);
const write = (name: string, text: string, mode = 0o600): void => writeFileSync(at(name), text, { mode });
const read = (name: string): string => readFileSync(at(name), "utf8");
const modeOf = (name: string): number => statSync(at(name)).mode & 0o777;

const model: SettingChanges = { values: { model: "openai/x", baseUrl: null }, secret: null, dropped: null };
const withKey: SettingChanges = {
  values: { model: "anthropic/x", baseUrl: null },
  secret: { key: "anthropicApiKey", name: "ANTHROPIC_API_KEY", text: "sk-ant-1" },
  dropped: null,
};
const dropped: SettingChanges = { ...model, dropped: { key: "openaiApiKey", name: "OPENAI_API_KEY" } };

function save(changes: SettingChanges, env: Readonly<Record<string, string>> = {}) {
  return saveSettings({ flags: { "data-dir": folder() }, env }, changes);
}

describe("saving settings", () => {
  it("creates a private folder and private files, from which the saved values are read", async () => {
    const places = { flags: { "data-dir": at("deep/inside") }, env: {} };
    const saved = await saveSettings(places, withKey);
    expect(saved).toEqual({
      file: at("deep/inside/config.json"),
      secretsFile: at("deep/inside/secrets.json"),
      dropped: "absent",
    });
    const names = ["deep", "deep/inside", "deep/inside/config.json", "deep/inside/secrets.json"];
    expect(names.map(modeOf)).toEqual([0o700, 0o700, 0o600, 0o600]);
    expect(read("deep/inside/config.json")).not.toContain("sk-ant-1");
    const { config } = await loadConfig(places);
    expect([config.model, config.anthropicApiKey]).toEqual(["anthropic/x", "sk-ant-1"]);
  });

  it("keeps other JSON keys in their order, and removes null ones", async () => {
    write(
      "config.json",
      '{"userId": "ada", "baseUrl": "http://x/v1", "memory": {"buffer": {"size": 50}}, "model": "demo"}',
      0o644,
    );
    await save(model);
    expect(JSON.parse(read("config.json"))).toEqual({
      userId: "ada",
      memory: { buffer: { size: 50 } },
      model: "openai/x",
    });
    expect(Object.keys(JSON.parse(read("config.json")) as object)).toEqual(["userId", "memory", "model"]);
    expect(modeOf("config.json")).toBe(0o600);
  });

  it("keeps other YAML keys, with their comments", async () => {
    write(
      "config.yaml",
      "# mine\nuserId: ada # who\nbaseUrl: http://x/v1\nmodel: demo\n\nmemory:\n  buffer: &b {size: 50}\n",
    );
    await save(withKey);
    expect(read("config.yaml")).toBe(
      "# mine\nuserId: ada # who\nmodel: anthropic/x\n\nmemory:\n  buffer: &b { size: 50 }\nanthropicApiKey: ${{ secrets.ANTHROPIC_API_KEY }}\n",
    );
    const { config } = await loadConfig({ flags: { "data-dir": folder() } });
    expect([config.model, config.userId, config.anthropicApiKey]).toEqual(["anthropic/x", "ada", "sk-ant-1"]);
  });

  it.each(["", "# nothing but this\n", "null\n"])("writes into a YAML file of %j", async (text) => {
    write("config.yml", text);
    await save(model);
    const { config } = await loadConfig({ flags: { "data-dir": folder() } });
    expect(config.model).toBe("openai/x");
    expect(read("config.yml")).toContain(text.trim() === "null" ? "" : text.trim());
  });

  it("keeps the other secrets", async () => {
    write("secrets.json", '{"POSTGRES_URI": "postgresql://x", "ANTHROPIC_API_KEY": "old"}');
    await save(withKey);
    expect(JSON.parse(read("secrets.json"))).toEqual({ POSTGRES_URI: "postgresql://x", ANTHROPIC_API_KEY: "sk-ant-1" });
  });

  it("writes the secrets file that the environment names", async () => {
    const { secretsFile } = await save(withKey, { PALIMPSEST_SECRETS: at("own/keys.json") });
    expect(secretsFile).toBe(at("own/keys.json"));
    expect(JSON.parse(read("own/keys.json"))).toEqual({ ANTHROPIC_API_KEY: "sk-ant-1" });
  });

  it("writes to the target of a link, and keeps the link", async () => {
    write("real.json", '{"userId": "ada"}');
    symlinkSync("real.json", at("config.json"));
    await save(model);
    expect(JSON.parse(read("real.json"))).toEqual({ userId: "ada", model: "openai/x" });
    expect(readdirSync(folder()).sort()).toEqual(["config.json", "real.json"]);
  });

  it.each([
    ["a reference of ours", "${{ secrets.OPENAI_API_KEY }}", "removed", undefined],
    ["a key as it stands", "sk-plain", "kept", "sk-plain"],
    ["another reference", "${{ env.OTHER }}", "kept", "${{ env.OTHER }}"],
  ])("removes a setting that is %s only if it is the program's", async (_what, value, outcome, after) => {
    write("config.json", JSON.stringify({ openaiApiKey: value }));
    expect((await save(dropped)).dropped).toBe(outcome);
    expect((JSON.parse(read("config.json")) as Record<string, unknown>)["openaiApiKey"]).toBe(after);
  });

  it("has nothing to remove without a file", async () => {
    expect((await save(dropped)).dropped).toBe("absent");
  });
});

describe("settings that cannot be saved", () => {
  it("do not change either file if others can read the secrets", async () => {
    write("config.json", '{"userId": "ada"}');
    write("secrets.json", '{"A": "b"}', 0o644);
    await expect(save(withKey)).rejects.toThrow(/other users may read it\. Run: chmod 600/u);
    expect([read("config.json"), read("secrets.json")]).toEqual(['{"userId": "ada"}', '{"A": "b"}']);
  });

  it.each(["{", "[]", '{"A": 5}'])("do not change secrets of %s", async (text) => {
    write("secrets.json", text);
    await expect(save(withKey)).rejects.toThrow(/secrets\.json/u);
    expect([read("secrets.json"), readdirSync(folder())]).toEqual([text, ["secrets.json"]]);
  });

  it.each(["[1]", '"text"', "5"])("do not change a configuration of %s", async (text) => {
    write("config.json", text);
    await expect(save(model)).rejects.toThrow(/expected an object/u);
    expect(read("config.json")).toBe(text);
  });

  it("are reported if a part of the path is a file, or the folder cannot be created", async () => {
    write("file", "");
    const into = (place: string) => saveSettings({ flags: { "data-dir": place }, env: {} }, model);
    await expect(into(at("file"))).rejects.toThrow(
      /config\.json cannot be written: a part of its path is not a folder\. .*--config FILE/u,
    );
    await expect(into("/proc/nowhere")).rejects.toThrow(/cannot be written: /u);
  });

  it("leave no temporary file behind if it cannot replace the file", async () => {
    mkdirSync(at("config.json"));
    await expect(writePrivately(at("config.json"), "{}")).rejects.toThrow(/it is a folder/u);
    expect(readdirSync(folder())).toEqual(["config.json"]);
  });
});
