// Opens the in-memory database for ephemeral conversations, which all users of a host share.
// Invariant: its content never reaches a disk or the store. The first ephemeral conversation opens it, and the host closes it.
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { ModelUsage } from "../../store/port/step-store.ts";
import type { Store, UserStore } from "../../store/port/store.ts";

export interface EphemeralStores {
  /** Returns the user's store in this database. Throws StoreError if the database cannot be opened; the next call retries. */
  as(userId: string): Promise<UserStore>;
  /**
   * Returns a function that reads the usage of a user's model calls since a moment, in stored and in open ephemeral
   * conversations.
   */
  usageWith(stored: UserStore): (moment: Date) => Promise<readonly ModelUsage[]>;
  close(): Promise<void>;
}

export function createEphemeralStores(): EphemeralStores {
  let opened: Promise<Store> | null = null;
  return {
    async as(userId) {
      opened ??= openInMemory().catch((error: unknown) => {
        opened = null;
        throw error;
      });
      return (await opened).as(userId);
    },
    usageWith: (stored) => async (moment) => {
      const usage = await stored.steps.usageSince(moment);
      if (opened === null) return usage;
      const unstored = (await opened).as(stored.userId);
      return [...usage, ...(await unstored.steps.usageSince(moment))];
    },
    close: async () => (await opened)?.close(),
  };
}

/** Opens the in-memory store. Its folder contains the lock and the socket of the engine, and no data. */
async function openInMemory(): Promise<Store> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "palimpsest-ephemeral-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const { openStore } = await import("../../store/open-store.ts");
    const store = await openStore({ connection: { kind: "embedded", folder, host: "worker", isInMemory: true } });
    const close = async (): Promise<void> => {
      await store.close();
      await remove();
    };
    return { ...store, close };
  } catch (error) {
    await remove();
    throw error;
  }
}
