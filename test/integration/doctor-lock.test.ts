// The data folder and its lock as the doctor sees them, and a lock that another host has left: with real folders and processes.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { connectOrServe } from "../../src/store/embedded/connect-or-serve.ts";
import { thisHolder } from "../../src/base/lock-holder.ts";
import { releaseForeignLock, takeServerLock } from "../../src/store/embedded/server-lock.ts";
import { openStoreFolder } from "../../src/store/embedded/store-folder.ts";
import { createStoreInspector } from "../../src/store/inspection/create-store-inspector.ts";
import { isRunning, lockOf, newFolder, openPool, removeFolders, usedFolder } from "../support/embedded-folder.ts";
import { until } from "../support/until.ts";
import { runProgram } from "../support/program.ts";

afterAll(removeFolders);

const inspectorOf = (folder: string) =>
  createStoreInspector({ connection: { kind: "embedded", folder, host: "process" } });

function writeLock(folder: string, number: number, change: object): string {
  const file = `${folder}/server-lock-${number}.json`;
  const endpoint = { path: `${folder}/socket/.s.PGSQL.1` };
  writeFileSync(file, JSON.stringify({ ...thisHolder(), endpoint, schema: 1, ...change }));
  return file;
}

describe("the data folder", () => {
  it("is inspected without being created", async () => {
    const folder = path.join(newFolder(), "deep", "er");
    expect(await inspectorOf(folder).folder()).toMatchObject({
      path: folder,
      exists: false,
      hasDatabase: false,
      refusal: null,
      mode: null,
    });
    expect(await inspectorOf(folder).lock()).toEqual({ kind: "free" });
    expect(existsSync(path.dirname(folder))).toBe(false);
  });

  it("that is a file is refused", async () => {
    const file = path.join(newFolder(), "file");
    writeFileSync(file, "");
    expect((await inspectorOf(file).folder())!.refusal).toContain("is a file");
    expect((await inspectorOf(path.join(file, "below")).folder())!.refusal).toContain("a part of its path is a file");
  });

  it("is reported with its rights and free space, and can be made private", async () => {
    const folder = newFolder();
    chmodSync(folder, 0o755);
    const inspector = inspectorOf(folder);
    expect(await inspector.folder()).toMatchObject({ exists: true, hasDatabase: false, mode: 0o755 });
    expect((await inspector.folder())!.freeBytes).toBeGreaterThan(0);
    await inspector.makePrivate();
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it("with a long path has its socket elsewhere", async () => {
    const folder = path.join(newFolder(), "x".repeat(90));
    mkdirSync(folder);
    const { socket } = (await inspectorOf(folder).folder())!;
    expect(socket!.folder).not.toContain(folder);
    expect(socket!.length).toBeLessThanOrEqual(socket!.limit);
  });
});

describe("a lock of another host", () => {
  it("is reported, is not removed without a request, and admits the next process after its removal", async () => {
    const folder = await usedFolder();
    const file = writeLock(folder, 3, { host: "elsewhere", pid: 4711 });
    const inspector = inspectorOf(folder);
    expect(await inspector.lock()).toEqual({ kind: "foreign", file, owner: { host: "elsewhere", pid: 4711 } });
    const refused = connectOrServe({ host: "process", folder });
    await expect(refused).rejects.toMatchObject({
      code: "store_locked",
      message: expect.stringContaining(`remove its lock: \`${file}\``) as unknown,
    });
    await inspector.unlock();
    expect(await inspector.lock()).toEqual({ kind: "free" });
    const { sql } = await openPool({ folder });
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
    expect(lockOf(folder).file).toContain("server-lock-4.json");
  });

  it("that has a new holder is left to it", () => {
    const folder = openStoreFolder(newFolder());
    writeLock(folder.root, 3, { host: "elsewhere" });
    const entry = { ...thisHolder(), endpoint: { path: "/nowhere" }, schema: 1 };
    expect(takeServerLock(folder, 3, entry)?.number).toBe(4);
    expect(releaseForeignLock(folder, 3, thisHolder())).toBe(false);
    expect(lockOf(folder.root).entry).toEqual(entry);
    expect(readdirSync(folder.root)).toEqual(["server-lock-4.json"]);
  });
});

describe("a lock that cannot be read", () => {
  it("is reported, and removed on request", async () => {
    const folder = newFolder();
    writeFileSync(`${folder}/server-lock-2.json`, "{");
    const inspector = inspectorOf(folder);
    expect(await inspector.lock()).toEqual({ kind: "unreadable", file: `${folder}/server-lock-2.json` });
    await inspector.unlock();
    expect(await inspector.lock()).toEqual({ kind: "free" });
    await openPool({ folder });
    expect(lockOf(folder).file).toContain("server-lock-3.json");
  });
});

describe("a lock without read permission", () => {
  it("is not treated as damaged: its holder is unknown", async () => {
    const folder = newFolder();
    // A folder of that name cannot be read as a file, whoever asks; rights would not keep root out.
    mkdirSync(`${folder}/server-lock-2.json`);
    await expect(inspectorOf(folder).lock()).rejects.toMatchObject({ code: "store_locked" });
    await expect(inspectorOf(folder).unlock()).rejects.toMatchObject({ code: "store_locked" });
    rmdirSync(`${folder}/server-lock-2.json`);
  });
});

describe("a lock of this host", () => {
  it("whose holder serves is never removed", async () => {
    const folder = await usedFolder();
    await openPool({ folder });
    const { file, entry } = lockOf(folder);
    const inspector = inspectorOf(folder);
    expect(await inspector.lock()).toEqual({ kind: "serving", file, owner: { host: entry.host, pid: entry.pid } });
    await expect(inspector.unlock()).rejects.toMatchObject({ code: "store_locked" });
    process.kill(entry.pid, "SIGSTOP");
    expect(await inspector.lock()).toMatchObject({ kind: "stopped" });
    await expect(inspector.unlock()).rejects.toMatchObject({ code: "store_locked" });
    process.kill(entry.pid, "SIGCONT");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(entry);
  });

  it("whose holder runs without its socket is never removed", async () => {
    const folder = newFolder();
    const file = writeLock(folder, 1, {});
    const inspector = inspectorOf(folder);
    expect(await inspector.lock()).toMatchObject({ kind: "refusing", owner: { pid: process.pid } });
    await expect(inspector.unlock()).rejects.toMatchObject({ code: "store_locked" });
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ pid: process.pid });
  });

  it("whose holder is gone is free", async () => {
    const folder = newFolder();
    writeLock(folder, 1, { startedAt: "1" });
    expect(await inspectorOf(folder).lock()).toEqual({ kind: "free" });
  });
});

interface Printed {
  readonly findings: readonly { readonly check: string; readonly verdict: string; readonly found: string }[];
}

// Several starts of the program each; on a busy machine one takes seconds.
const programMs = 120_000;

describe("the program", () => {
  const checksOf = (stdout: string) =>
    Object.fromEntries((JSON.parse(stdout) as Printed).findings.map(({ check, verdict }) => [check, verdict]));

  it(
    "finds a lock of another host, runs the other checks, removes it on request, and then reports no fault",
    async () => {
      const home = await usedFolder();
      const first = await runProgram(["archival", "add", "Ada sails", "--embedding", "none", "-a", "main"], { home });
      expect(first.stderr).toContain("There is no agent");
      const { pid } = lockOf(home).entry;
      process.kill(pid, "SIGTERM");
      await until(() => !isRunning(pid));
      writeLock(home, 50, { host: "elsewhere", pid: 4711 });
      const ill = await runProgram(["doctor", "--json", "--embedding", "none"], { home });
      expect(ill.code).toBe(1);
      expect(checksOf(ill.stdout)).toMatchObject({ folder: "ok", lock: "failed", database: "failed", model: "ok" });
      const asked = await runProgram(["doctor", "--unlock"], { home });
      expect({ code: asked.code, stderr: asked.stderr }).toEqual({ code: 2, stderr: expect.stringContaining("--yes") });
      expect((await runProgram(["doctor", "--unlock", "--yes"], { home })).code).toBe(0);
      const well = await runProgram(["doctor", "--json", "--embedding", "none"], { home, env: { LANG: "C.UTF-8" } });
      expect(new Set(Object.values(checksOf(well.stdout)))).toEqual(new Set(["ok"]));
      expect(well.code).toBe(0);
    },
    programMs,
  );

  it(
    "computes missing vectors with --repair, and reports them",
    async () => {
      const home = await usedFolder();
      await runProgram(["agents", "add", "main"], { home });
      await runProgram(["archival", "add", "Ada sails", "--embedding", "none"], { home });
      const { stdout, stderr } = await runProgram(["doctor", "--repair", "--json"], { home });
      expect(JSON.parse(stdout)).toMatchObject({ repairs: ["Made 1 missing vectors."] });
      expect(stderr).toContain("vectors: 1 of 1");
      expect(checksOf(stdout)["vectors"]).toBe("ok");
    },
    programMs,
  );

  it(
    "never prints a key, and reports a missing one",
    async () => {
      const home = await usedFolder();
      const key = "sk-secret-0123456789";
      const env = { OPENAI_API_KEY: key };
      const keyed = await runProgram(["doctor", "--model", "openai/gpt-x", "--embedding", "none"], { home, env });
      expect(`${keyed.stdout}${keyed.stderr}`).not.toContain(key);
      expect(keyed.code).toBe(0);
      const missing = await runProgram(["doctor", "--model", "anthropic/claude-x", "--embedding", "none"], {
        home,
        env,
      });
      expect(missing.stdout).toMatch(/failed +model +anthropic\/claude-x needs a key: set ANTHROPIC_API_KEY/u);
      expect(missing.code).toBe(1);
    },
    programMs,
  );
});
