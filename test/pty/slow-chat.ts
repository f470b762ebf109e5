// The chat in a terminal at the far end of a slow connection, with a model that answers when a test says so.
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import path from "node:path";
import { packageRoot } from "../../src/base/package-root.ts";
import { createHeldModelServer, type HeldModelServer } from "../support/held-model-server.ts";
import { readyHint } from "./chat-terminal.ts";
import { openSlowTerminal, type SlowTerminal } from "./slow-terminal.ts";

/** A slow mobile connection. */
export const bytesPerSecond = 3_000;

export interface SlowChat {
  readonly terminal: SlowTerminal;
  readonly model: HeldModelServer;
  readonly home: string;
  close(): Promise<void>;
}

export interface SlowChatOptions {
  /** Default: no limit. */
  readonly bytesPerSecond?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export async function openSlowChat({ bytesPerSecond: rate, env }: SlowChatOptions = {}): Promise<SlowChat> {
  const home = await mkdtemp("/tmp/pty-");
  const model = await createHeldModelServer();
  // A link, as a global installation has.
  const program = path.join(home, "bin", "palimpsest");
  await mkdir(path.dirname(program));
  await symlink(path.join(packageRoot(), "dist", "program", "palimpsest.js"), program);
  const terminal = openSlowTerminal({
    folder: home,
    args: [program, "-m", "openai/held", "--base-url", model.url, "--embedding", "none"],
    env: {
      HOME: home,
      PATH: `${path.dirname(program)}:${process.env["PATH"]}`,
      PALIMPSEST_DATA_DIR: path.join(home, "data"),
      OPENAI_API_KEY: "key",
      ...(process.env["NODE_OPTIONS"] === undefined ? {} : { NODE_OPTIONS: process.env["NODE_OPTIONS"] }),
      ...env,
    },
    ...(rate === undefined ? {} : { bytesPerSecond: rate }),
  });
  const close = async (): Promise<void> => {
    await terminal.close();
    await model.close();
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  try {
    await terminal.until(readyHint);
    await terminal.untilIdle();
    return { terminal, model, home, close };
  } catch (error) {
    await close();
    throw error;
  }
}
