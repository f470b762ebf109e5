// The chat in a terminal at the far end of a slow connection, with a model that answers when a test says so.
import path from "node:path";
import { createHeldModelServer, type HeldModelServer } from "../support/held-model-server.ts";
import { readyHint } from "./chat-terminal.ts";
import { createProgramHome, removeProgramHome } from "./program-home.ts";
import { openSlowTerminal, type SlowTerminal } from "../support/slow-terminal.ts";

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
  const home = await createProgramHome();
  const bin = path.join(home, "bin");
  const model = await createHeldModelServer();
  const terminal = openSlowTerminal({
    folder: home,
    args: [path.join(bin, "palimpsest"), "-m", "openai/held", "--base-url", model.url, "--embedding", "none"],
    env: {
      HOME: home,
      PATH: `${bin}:${process.env["PATH"]}`,
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
    await removeProgramHome(home);
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
