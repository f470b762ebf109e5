// The lock of a checkout: one process at a time has it, also if several find the lock of a killed process.
import { mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { setImmediate, setTimeout } from "node:timers/promises";
import { processWord } from "../../../src/base/lock-holder.ts";
import { withLock } from "../../../src/surfaces/cli/checkout/folder.ts";
import { startUnnoticedChild } from "../../support/unnoticed-child.ts";
import { useFolder } from "../../support/folders.ts";

const folder = useFolder();

test("at most one of several processes works after they find a killed process's lock", async () => {
  let working = 0;
  let most = 0;
  const work = async () => {
    working += 1;
    most = Math.max(most, working);
    await setTimeout(1);
    working -= 1;
  };
  for (let round = 0; round < 200; round += 1) {
    mkdirSync(path.join(folder, ".palimpsest", "lock", "999999999-killed"), { recursive: true });
    const starts = Array.from({ length: 8 }, async (_, wait) => {
      for (let turn = 0; turn < wait; turn += 1) await setImmediate();
      await withLock(folder, work);
    });
    const ends = await Promise.allSettled(starts);
    expect(ends.filter(({ status }) => status === "fulfilled")).not.toEqual([]);
  }
  expect(most).toBe(1);
  expect(readdirSync(path.join(folder, ".palimpsest"))).toEqual([]);
});

// Only Linux shows the state of another process as a file.
(process.platform === "linux" ? test : test.skip)(
  "the lock of a running process is respected, and taken over when it was killed, before its parent has noticed",
  async () => {
    const child = await startUnnoticedChild();
    try {
      mkdirSync(path.join(folder, ".palimpsest", "lock", `${processWord(child.pid)}-other`), { recursive: true });
      await expect(withLock(folder, async () => "worked")).rejects.toThrow(`Another process (${child.pid}) works in`);
      await child.kill();
      expect(await withLock(folder, async () => "worked")).toBe("worked");
      expect(readdirSync(path.join(folder, ".palimpsest"))).toEqual([]);
    } finally {
      child.close();
    }
  },
);
