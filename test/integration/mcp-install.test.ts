// `mcp install` with settings of the environment: the program that it installs reaches this memory, and no secret is in the
// entry or among the arguments.
import { spawnSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { packageRoot } from "../../src/base/package-root.ts";
import { loadConfig } from "../../src/config/file/load-config.ts";
import { useDatabase } from "../support/database.ts";
import { connectClient } from "../support/mcp-clients.ts";
import { useFolder } from "../support/folders.ts";

const home = useFolder();
const elsewhere = path.join(home, "elsewhere");
const program = path.join(packageRoot(), "dist", "program", "palimpsest.js");
const { PATH = "", NODE_OPTIONS = "" } = process.env;
const bare = { PATH, NODE_OPTIONS, HOME: home };
const database = useDatabase({ isOwn: true });

interface Entry {
  readonly command: string;
  readonly args: readonly string[];
}

/** Installs into the file of the folder, and returns the entry. */
function install(flags: readonly string[], env: Readonly<Record<string, string>>) {
  const argv = [program, "mcp", "install", "claude-code", "--write", ...flags];
  const { status, stderr } = spawnSync(process.execPath, argv, { cwd: home, env: { ...bare, ...env } });
  expect([status, stderr.toString()]).toEqual([0, expect.any(String)]);
  const text = readFileSync(path.join(home, ".mcp.json"), "utf8");
  const { palimpsest } = (JSON.parse(text) as { mcpServers: Record<string, Entry> }).mcpServers;
  return { entry: palimpsest!, text, said: stderr.toString() };
}

/** The flags of an entry, as the program reads them. */
function flagsOf({ args }: Entry): Record<string, string> {
  const given = args.slice(2);
  return Object.fromEntries(
    given.flatMap((name, at) => (at % 2 === 0 ? [[name.replace(/^--/u, ""), given[at + 1]!]] : [])),
  );
}

test("passwords and keys of the environment are in a file that only its owner can read", async () => {
  const { entry, text, said } = install(["--user", "ana"], {
    PALIMPSEST_DATA_DIR: elsewhere,
    PALIMPSEST_DATABASE_URL: "postgres://app:pa55word@127.0.0.1:1/db",
    OPENAI_API_KEY: "sk-s3cret",
    PALIMPSEST_MAX_CONNECTIONS: "7",
  });
  const file = path.join(elsewhere, "mcp-claude-code.json");
  expect(text).not.toMatch(/pa55word|sk-s3cret/u);
  expect(entry.args.slice(1)).toEqual(["mcp", "--data-dir", elsewhere, "--user", "ana", "--env-file", file]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(said).toContain(`to ${file}, which only you can read.`);
  expect(said).not.toMatch(/pa55word|sk-s3cret/u);
  const { config } = await loadConfig({ flags: flagsOf(entry), env: { HOME: home } });
  expect(config).toMatchObject({
    dataDir: elsewhere,
    databaseUrl: "postgres://app:pa55word@127.0.0.1:1/db",
    openaiApiKey: "sk-s3cret",
    maxConnections: 7,
    userId: "ana",
  });
});

test("the URL of --database-url, and what a configuration file takes from the environment, arrive too", async () => {
  const config = path.join(home, "mine.json");
  writeFileSync(config, JSON.stringify({ model: "${MODEL_NAME}", dataDir: elsewhere }), { mode: 0o600 });
  const url = "postgres://app:pa55word@127.0.0.1:1/db";
  const { entry, text } = install(["--config", "mine.json", "--database-url", url], { MODEL_NAME: "demo" });
  expect(text).not.toContain("pa55word");
  expect(flagsOf(entry)["config"]).toBe(config);
  const loaded = await loadConfig({ flags: flagsOf(entry), env: { HOME: home } });
  expect(loaded.config).toMatchObject({ model: "demo", databaseUrl: url, dataDir: elsewhere });
});

test("the file of another user's rights is refused", async () => {
  const file = path.join(home, "open.json");
  writeFileSync(file, "{}", { mode: 0o644 });
  await expect(loadConfig({ flags: { "env-file": file }, env: { HOME: home } })).rejects.toThrow(
    "other users may read it",
  );
  await expect(loadConfig({ flags: { "env-file": `${file}x` }, env: { HOME: home } })).rejects.toThrow(
    "does not exist",
  );
});

test("what is written in this shell's memory is found by the installed program", async () => {
  const { connection } = database;
  const store =
    connection.kind === "server"
      ? { PALIMPSEST_DATABASE_URL: connection.url, PALIMPSEST_DATA_DIR: elsewhere }
      : { PALIMPSEST_DATA_DIR: connection.folder };
  const env = { ...bare, ...store, PALIMPSEST_EMBEDDING: "none", PALIMPSEST_MODEL: "demo" };
  const added = spawnSync(process.execPath, [program, "agents", "add", "main"], { env });
  expect([added.status, added.stderr.toString()]).toEqual([0, expect.any(String)]);
  const set = spawnSync(process.execPath, [program, "memory", "set", "human", "Keeps bees.", "-a", "main"], { env });
  expect([set.status, set.stderr.toString()]).toEqual([0, expect.any(String)]);
  const { entry } = install([], { ...store, PALIMPSEST_EMBEDDING: "none", PALIMPSEST_MODEL: "demo" });
  const client = await connectClient("2.x", {
    command: entry.command,
    args: [...entry.args],
    env: bare,
    stderr: "ignore",
  });
  try {
    expect(await client.read("palimpsest://agents/main/core-memory/human")).toBe("Keeps bees.");
  } finally {
    await client.close();
  }
});
