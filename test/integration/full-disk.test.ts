// A disk that is full: the error says which disk and what to do, in a turn and at a start, and what was committed is there
// when there is room again. The disk is a small tmpfs, so this needs root on Linux; elsewhere nothing is run.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import postgres from "postgres";
import type { Agent } from "../../src/agent/agent.ts";
import { createRuntime, type RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { isOnServer } from "../support/database.ts";
import { drain } from "../support/runtime.ts";

const mayMount = process.platform === "linux" && process.getuid?.() === 0;
/** Its title tells where it is not run. */
const onSmallDisk = mayMount && !isOnServer ? it : it.skip;
const onServerDisk = mayMount && isOnServer ? it : it.skip;

let disk: string;

beforeAll(() => {
  disk = mkdtempSync(path.join(os.tmpdir(), "palimpsest-disk-"));
  if (mayMount) execFileSync("mount", ["-t", "tmpfs", "-o", "size=64m,mode=777", "tmpfs", disk]);
});

afterAll(() => {
  if (mayMount) execFileSync("umount", [disk]);
  rmdirSync(disk);
});

const filler = (): string => path.join(disk, "filler");

function fill(): void {
  const { bavail, bsize } = statfsSync(disk);
  try {
    writeFileSync(filler(), Buffer.alloc(bavail * bsize));
  } catch (error) {
    // The database wrote meanwhile: the disk is full all the same.
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}

/** Sends long messages until a turn fails; the failure. */
async function sendUntilFull(agent: Agent): Promise<unknown> {
  for (let count = 0; count < 100; count += 1) {
    const text = `${count} ${Array.from({ length: 4000 }, (_, word) => (word * 7919 * (count + 1)).toString(36)).join(" ")}`;
    const failure = await drain(agent.send(text)).then(
      () => null,
      (error: unknown) => error,
    );
    if (failure !== null) return failure;
  }
  return "It never was full.";
}

const options: RuntimeOptions = {
  embedder: null,
  model: "scripted",
  models: [createScriptedModel({ replies: () => ({ text: "Noted." }) })],
};

onSmallDisk(
  "a turn on a full disk says which disk, and the agent goes on when there is room (as root, embedded)",
  async () => {
    const dataDir = path.join(disk, "data");
    const runtime = await createRuntime({ ...options, dataDir });
    const agent = await runtime.agents.open("main", { create: {} });
    await drain(agent.send("kept"));
    fill();
    const full = {
      name: "StoreError",
      code: "store_full",
      message: expect.stringContaining(
        `No space is left on the disk of the embedded database in ${dataDir}. Free at least`,
      ),
    };
    expect(await sendUntilFull(agent)).toMatchObject(full);
    // The disk is as full for the next start.
    await runtime.close();
    await expect(createRuntime({ ...options, dataDir: path.join(disk, "other") })).rejects.toMatchObject({
      code: "store_full",
    });
    rmSync(filler());
    rmSync(path.join(disk, "other"), { recursive: true, force: true });
    const again = await createRuntime({ ...options, dataDir });
    const back = await again.agents.open("main");
    expect(back.messages[0]?.text).toBe("kept");
    expect((await drain(back.send("and on"))).at(-1)).toMatchObject({ stopReason: "end-turn" });
    await again.close();
  },
);

onServerDisk("a turn on a server whose disk is full says which server (as root, PostgreSQL)", async () => {
  const url = new URL(process.env["TEST_DATABASE_URL"] as string);
  const owner = postgres(url.href, { max: 1, onnotice: () => undefined });
  const place = path.join(disk, "space");
  mkdirSync(place, { mode: 0o777 });
  // The server runs as another user than root, who must own the folder.
  const [{ uid, gid }] = [serverUser(await dataFolderOf(owner))];
  execFileSync("chown", [`${uid}:${gid}`, place]);
  await owner.unsafe(`create tablespace small_disk location '${place}'`);
  await owner.unsafe("create database small_disk tablespace small_disk");
  url.pathname = "/small_disk";
  const runtime = await createRuntime({ ...options, databaseUrl: url.href });
  const agent = await runtime.agents.open("main", { create: {} });
  await drain(agent.send("kept"));
  // The template's pages are holes in the new files until a checkpoint writes them. Without space it could not, and then fails for
  // every database of the server: test files beside this one drop theirs.
  await owner.unsafe("checkpoint");
  fill();
  expect(await sendUntilFull(agent)).toMatchObject({
    name: "StoreError",
    code: "store_full",
    message: expect.stringContaining(`No space is left on the disk of PostgreSQL at ${url.host}. Free at least`),
  });
  await owner.unsafe("checkpoint");
  rmSync(filler());
  expect((await drain(agent.send("and on"))).at(-1)).toMatchObject({ stopReason: "end-turn" });
  await runtime.close();
  await owner.unsafe("drop database small_disk with (force)");
  await owner.unsafe("drop tablespace small_disk");
  await owner.end();
  expect(existsSync(place)).toBe(true);
});

async function dataFolderOf(sql: postgres.Sql): Promise<string> {
  const [row] = await sql<{ data_directory: string }[]>`show data_directory`;
  return row!.data_directory;
}

function serverUser(folder: string): { readonly uid: string; readonly gid: string } {
  const [uid, gid] = execFileSync("stat", ["-c", "%u %g", folder], { encoding: "utf8" }).trim().split(" ");
  return { uid: uid!, gid: gid! };
}
