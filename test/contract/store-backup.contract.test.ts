// A backup carries every row over, and a damaged one is refused with nothing changed. On the engine at hand.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { writeBackup } from "../../src/store/backup/backup.ts";
import type { Database } from "../../src/store/connection/database.ts";
import type { Transaction } from "../../src/store/connection/transaction.ts";
import type { UserStore } from "../../src/store/port/store.ts";
import { openTestStore, type TestStore } from "../support/database.ts";
import {
  beginning,
  callTool,
  compactThrough,
  ids,
  keepFile,
  newMessage,
  newTalk,
  oddTexts,
  say,
  type Talk,
} from "../support/store-builders.ts";
import { useFolder } from "../support/folders.ts";
import { until } from "../support/until.ts";

let source: TestStore;
let target: TestStore;
let talk: Talk;
const folder = useFolder();
let file: string;
let objectKey: string;

beforeAll(async () => {
  file = path.join(folder, "all.jsonl.gz");
  [source, target] = [await openTestStore({ isOwn: true }), await openTestStore()];
  talk = await newTalk(source.store.as("ada"));
  const said = await say(
    talk,
    oddTexts.map(([, text]) => text.slice(0, 10_000)),
  );
  await say(
    talk,
    Array.from({ length: 130 }, (_, index) => `message ${index}`),
  );
  const result = await callTool(talk);
  const passage = {
    id: ids.next(),
    text: "Ada sails",
    tags: ["a\u2028b", `"`],
    kind: "fact",
    at: new Date(0),
  } as const;
  const change = { label: "human", scope: "user", revision: 0, before: "", after: "Ada\r\n" } as const;
  await talk.user.turns.commitToolResult({ ...result, changes: [change], passages: [passage] });
  const vector = Array.from({ length: 512 }, (_, index) => Math.sin(index));
  await talk.user.passages.addVectors(talk.agentId, {
    embedder: "test",
    dimensions: 512,
    rows: [{ passageId: passage.id, vector }],
  });
  await compactThrough(talk, said[0]!.id, { strategy: "ring", focus: "names", dollars: 0.25 });
  await talk.user.agents.share(talk.agentId, "ben");
  await source.store.as("ben").agents.accept(talk.agentId);
  const attached = await keepFile(talk, "x".repeat(600_000));
  objectKey = attached.objectKey;
  const { messages } = await talk.user.conversations.thread(talk.conversationId);
  const leafId = messages.at(-1)!.id;
  const sent = newMessage({ parentId: leafId, content: [attached.file] });
  await talk.user.turns.begin(beginning(talk, { leafId, messages: [sent], key: "with a file" }));
  await source.store.backup(file);
});

afterAll(async () => {
  await source.close();
  await target.close();
});

/** A database whose fetches return these batches of rows, and the number of statements that it ran. */
function databaseOf(batches: { readonly row: string }[][]) {
  let statements = 0;
  const tx = {
    run: async (statement: string) => {
      statements += 1;
      return statement.startsWith("fetch") ? (batches.pop() ?? []) : [];
    },
  } as unknown as Transaction;
  const database = { ownerTransaction: (work: (given: Transaction) => unknown) => work(tx) } as unknown as Database;
  return { database, statements: () => statements };
}

async function viewOf(user: UserStore) {
  const { agentId, conversationId } = talk;
  return {
    agents: await user.agents.list(),
    modules: await user.modules.list(agentId),
    revisions: await user.modules.revisions(agentId, { limit: 10 }),
    conversations: await user.conversations.list(agentId, { order: "newest", limit: 10 }),
    thread: await user.conversations.thread(conversationId),
    passages: await user.passages.search({
      agentId,
      text: "sails",
      meaning: {
        vector: Array.from({ length: 512 }, (_, index) => Math.sin(index)),
        embedder: "test",
        dimensions: 512,
        floor: 0.35,
      },
      page: 0,
      pageSize: 5,
      now: new Date(0),
    }),
    attached: await user.objects.get(objectKey),
    faults: await user.attachments.count(),
  };
}

function damaged(name: string, content: Buffer): string {
  const damagedFile = path.join(folder, name);
  writeFileSync(damagedFile, content);
  return damagedFile;
}

describe("backup and restore", () => {
  it("leave no other files behind", () => {
    expect(readdirSync(folder)).toContain("all.jsonl.gz");
    expect(readdirSync(folder).filter((name) => name.includes("unfinished"))).toEqual([]);
  });

  // Both need the same right, which root has outside of a container.
  const mayMount = process.platform === "linux" && spawnSync("unshare", ["--mount", "true"]).status === 0;
  (mayMount ? it : it.skip)("blame the disk of the file if it is full (needs the right to mount)", async () => {
    const disk = mkdtempSync(path.join(folder, "disk-"));
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=4k", "tmpfs", disk]);
    const full = path.join(disk, "full.gz");
    try {
      await expect(source.store.backup(full)).rejects.toMatchObject({
        code: "store_full",
        message: expect.stringContaining(`No space is left on the disk of ${full}. Free at least`),
      });
      expect(readdirSync(disk)).toEqual([]);
    } finally {
      execFileSync("umount", [disk]);
    }
  });

  it("are complete if two write to one file at once", async () => {
    const both = path.join(folder, "both.gz");
    const reports = await Promise.all([source.store.backup(both), source.store.backup(both)]);
    expect(linesReport(both)).toMatchObject({ end: true, rows: reports[0]!.rows });
    expect(readdirSync(folder).filter((name) => name.includes("unfinished"))).toEqual([]);
  });

  it("use the connection after each megabyte of large rows, so that an embedded engine keeps it", async () => {
    const row = JSON.stringify({ data: "f".repeat(1_048_576) });
    const large = databaseOf([Array.from({ length: 10 }, () => ({ row }))]);
    const none = databaseOf([[]]);
    await writeBackup(large.database, path.join(folder, "few.gz"));
    await writeBackup(none.database, path.join(folder, "few.gz"));
    expect(large.statements() - none.statements()).toBeGreaterThanOrEqual(10);
  });

  it("use the connection while the file is flushed to the disk", async () => {
    const { database, statements } = databaseOf([[]]);
    const handle = await open(path.join(folder, "any"), "w");
    const files = Object.getPrototypeOf(handle) as Pick<FileHandle, "sync">;
    await handle.close();
    const { sync } = files;
    files.sync = async function (this: FileHandle) {
      const before = statements();
      await until(() => statements() > before);
      await sync.call(this);
    };
    try {
      await writeBackup(database, path.join(folder, "flushed.gz"));
    } finally {
      files.sync = sync;
    }
    expect(readdirSync(folder)).toContain("flushed.gz");
  });

  it("name a file that cannot be replaced", async () => {
    await expect(source.store.backup(folder)).rejects.toMatchObject({
      code: "store_failed",
      message: `The backup cannot be written to ${folder}: it is a folder.`,
    });
    const beside = readdirSync(path.dirname(folder)).filter((name) => name.startsWith(path.basename(folder)));
    expect(beside).toEqual([path.basename(folder)]);
  });

  it.each([
    ["no file", () => path.join(folder, "none"), /there is no such file/u],
    ["a folder", () => folder, /it is a folder/u],
    ["an empty file", () => damaged("empty", Buffer.alloc(0)), /truncated/u],
    ["a file that is not gzip'd", () => damaged("text", Buffer.from("hello")), /expected a gzip file/u],
    ["a bzip2 file", () => damaged("bzip2", Buffer.from("425a6839314159265359", "hex")), /expected a gzip file/u],
    ["a file that was gzip'd twice", () => damaged("twice", gzipSync(readFileSync(file))), /line 1 is not UTF-8/u],
    ["another gzip file", () => damaged("other", gzipSync("hello\n")), /line 1 is not JSON/u],
    ["a line that is no object", () => damaged("null", gzipSync("null\n")), /line 1 is not an object/u],
    ["another format", () => damaged("format", gzipSync(`{"format":"other"}\n`)), /runtime\.backup\(\)/u],
    [
      "another version",
      () => changed("version", (lines) => lines.replace(`"version":1`, `"version":99`)),
      /version 1, got 99/u,
    ],
    [
      "another schema",
      () => changed("schema", (lines) => lines.replace(/"schema":"[^"]*"/u, `"schema":"x"`)),
      /schema/u,
    ],
    ["a cut-off file", () => damaged("cut", readFileSync(file).subarray(0, -2000)), /truncated/u],
    ["a file without its end", () => changed("endless", (lines) => lines.replace(/\{"end".*\n/u, "")), /a last line/u],
    [
      "a last line without its line feed",
      () => changed("open", (lines) => lines.slice(0, -1)),
      /line \d+ is truncated/u,
    ],
    [
      "a missing row",
      () => changed("fewer", (lines) => lines.replace(/^.*"message 17".*\n/mu, "")),
      /line \d+ says \d+ rows/u,
    ],
    [
      "an edited row",
      () => changed("edited", (lines) => lines.replaceAll(`"message 17"`, `"message 71"`)),
      /the digest in line \d+ does not match/u,
    ],
    [
      "rows in another order",
      () => changed("order", (lines) => lines.replace(/^(.*"message 17".*\n)(.*\n)/mu, "$2$1")),
      /the digest in line \d+ does not match/u,
    ],
    [
      "a broken row",
      () => changed("broken", (lines) => lines.replace(`"message 17"`, `message 17`)),
      /lines \d+ to \d+ contain a row that the table messages does not accept/u,
    ],
    [
      "an unknown table",
      () => changed("table", (lines) => lines.replace(`{"table":"steps"}`, `{"table":"nope"}`)),
      /line \d+ names a table/u,
    ],
    ["a row without a table", () => changed("row", (lines) => lines.replace(/\{"table".*\n/u, "")), /line 2 is a row/u],
    [
      "two backups in one file",
      () => damaged("doubled", Buffer.concat([readFileSync(file), readFileSync(file)])),
      /line \d+ comes after the line that ends a backup/u,
    ],
    ["a file that holds its lines twice", () => changed("again", (lines) => lines + lines), /line \d+ comes after/u],
    [
      "a line that is not UTF-8",
      () => damaged("bytes", gzipSync(Buffer.concat([unzipped().subarray(0, -100), Buffer.from([0xc3, 0x0a])]))),
      /line \d+ is not UTF-8/u,
    ],
    [
      "zeros after the end",
      () => damaged("zeros", Buffer.concat([readFileSync(file), Buffer.alloc(9)])),
      /to end after/u,
    ],
    ["a byte after the end", () => damaged("more", Buffer.concat([readFileSync(file), Buffer.from("x")])), /gzip/u],
  ])("refuse %s, and change nothing", async (_, make, message) => {
    const error = await target.store.restore(make()).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: "backup_invalid", message: expect.stringMatching(message) });
    expect(await target.ownerRows("select 1 from users")).toEqual([]);
  });

  it("transfer all rows", async () => {
    const { rows } = linesReport();
    expect(await target.store.restore(file)).toEqual({ rows, external: [] });
    expect(await viewOf(target.store.as("ada"))).toEqual(await viewOf(source.store.as("ada")));
    expect(await target.store.as("ben").agents.list()).toHaveLength(1);
    await say({ ...talk, user: target.store.as("ada") }, ["it goes on"]);
    const again = path.join(folder, "again.gz");
    const second = path.join(folder, "second.gz");
    await source.store.backup(again);
    await source.store.backup(second);
    expect(linesOf(second)).toEqual(linesOf(again));
  });

  it("refuse a database that is not empty", async () => {
    await expect(source.store.restore(file)).rejects.toMatchObject({
      code: "store_failed",
      message: expect.stringMatching(/empty database/u),
    });
  });

  it("report a file that cannot be written", async () => {
    await expect(source.store.backup(path.join(folder, "no", "such", "folder"))).rejects.toMatchObject({
      code: "store_failed",
    });
  });
});

function linesOf(backup: string): readonly string[] {
  // The first line has the time, and the last a digest of it.
  return gunzipSync(readFileSync(backup)).toString("utf8").split("\n").slice(1, -2);
}

function linesReport(backup = file): { readonly rows: number } {
  return JSON.parse(unzipped(backup).toString("utf8").trimEnd().split("\n").at(-1)!) as { readonly rows: number };
}

function unzipped(backup = file): Buffer {
  return gunzipSync(readFileSync(backup));
}

function changed(name: string, change: (lines: string) => string): string {
  const lines = gunzipSync(readFileSync(file)).toString("utf8");
  const result = change(lines);
  expect(result).not.toBe(lines);
  return damaged(name, gzipSync(result));
}
