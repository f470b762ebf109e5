// Measures the terminal chat: its output and CPU time while a long reply streams, the latency of keys meanwhile, and the
// time of its first frame compared with a program that only writes a word; Esc over a slow connection; memory after many items.
// Invariant: every bound is checked, and each exceeded bound is reported by name.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { packageRoot } from "../src/base/package-root.ts";
import { alternate, quantile, type Row, rowOf } from "./measure.ts";
import { openSlowTerminal } from "../test/support/slow-terminal.ts";
import { openPty, type Pty } from "./terminal/pty.ts";

const tokens = 10_000;
/** Faster than most models, so that the bound on CPU time is meaningful. */
const tokensPerSecond = 400;
const keyEveryMs = 400;
/** The number of keys that fit on one row of the prompt. */
const maxKeys = 70;
const settleMs = 500;
const firstFrames = 15;
/** The text of the hint row when the chat waits for input. */
const ready = "Enter send";
/** A text of the hint row that is shown only then. */
const waits = "Alt+Enter new line";
const turnPauseMs = 100;
/** V8 returns memory that it no longer needs when little is allocated for a while. */
const longPauseMs = 20_000;
/** Milliseconds of the reply before Esc. */
const streamedMs = 4_000;
// oxlint-disable-next-line no-control-regex -- the sequences that clear the screen or the scrollback
const fullClear = /\u001b\[[23]J/gu;
/** A key that the reply does not contain. */
const key = "~";

/** A slow mobile connection. */
const slowBytesPerSecond = 3_000;
const escapes = 5;

const bounds = {
  clears: 0,
  bytesPerToken: 12,
  cpuShare: 0.36,
  echoP95Ms: 40,
  firstFrameOverNodeMs: 650,
  escapeMaxMs: 1_000,
  rssMegabytes: 200,
};

interface Streamed {
  readonly bytesPerToken: number;
  readonly clears: number;
  readonly cpuSeconds: number;
  readonly streamSeconds: number;
  readonly echoMs: readonly number[];
}

export async function benchTui() {
  const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-bench-"));
  try {
    const streamed = await measureStream(path.join(folder, "seconds.json"));
    const escapeMs = await measureEscapes(folder);
    const rssMegabytes = await measureMemory();
    const { rows, overNodeMs } = await measureFirstFrames(path.join(folder, "data"));
    const { echoMs, ...figures } = streamed;
    const tui = { ...figures, cpuShare: figures.cpuSeconds / figures.streamSeconds, echoP95Ms: quantile(echoMs, 0.95) };
    const escapeMaxMs = quantile(escapeMs, 1);
    const measured = { ...tui, firstFrameOverNodeMs: overNodeMs, escapeMaxMs, rssMegabytes };
    const broken = Object.entries(bounds).flatMap(([name, max]) => {
      const value = measured[name as keyof typeof bounds];
      return value <= max ? [] : [`${name}: ${value.toFixed(2)}, bound ${max}`];
    });
    const note = Object.entries(measured).map(([name, value]) => `${name} ${Number(value.toFixed(2))}`);
    process.stdout.write(`\ntui, ${tokens} tokens at ${tokensPerSecond} a second: ${note.join(", ")}\n`);
    return {
      rows: [
        rowOf("a key until it is shown, while streaming", echoMs),
        rowOf("Esc until the interruption is shown, at 3 KB/s", escapeMs),
        ...rows,
      ],
      more: { tui: measured },
      broken,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const child = path.join(packageRoot(), ".cache", "bench", "bench", "tui-chat.js");

async function measureStream(file: string): Promise<Streamed> {
  const pty = openPty([child, file, String(tokens), String(tokensPerSecond)]);
  try {
    await pty.until(ready, 0);
    // The first frame is drawn before raw mode is on, and until then a carriage return would arrive as a line feed.
    await sleep(settleMs);
    const begin = pty.length();
    pty.type("go\r");
    const end = pty.until("ENDOFREPLY", begin).then(() => "end" as const);
    const echoMs: number[] = [];
    for (let keys = 1; (await Promise.race([end, sleep(keyEveryMs)])) !== "end"; keys += 1) {
      if (keys <= maxKeys) echoMs.push(await echoOf(pty));
    }
    await sleep(settleMs);
    const written = pty.textFrom(begin);
    const { stream, cpu } = JSON.parse(readFileSync(file, "utf8")) as { stream: number; cpu: number };
    return {
      bytesPerToken: Buffer.byteLength(written) / tokens,
      clears: written.match(fullClear)?.length ?? 0,
      cpuSeconds: cpu,
      streamSeconds: stream,
      echoMs,
    };
  } finally {
    await pty.close();
  }
}

async function echoOf(pty: Pty): Promise<number> {
  const typed = performance.now();
  const offset = pty.length();
  pty.type(key);
  return (await pty.until(key, offset)) - typed;
}

async function measureEscapes(folder: string): Promise<readonly number[]> {
  const terminal = openSlowTerminal({
    args: [child, path.join(folder, "unused.json"), "100000", String(tokensPerSecond)],
    env: { HOME: folder },
    folder,
    bytesPerSecond: slowBytesPerSecond,
  });
  try {
    const times: number[] = [];
    for (let count = 0; count < escapes; count += 1) {
      await terminal.until(waits);
      await terminal.untilIdle();
      terminal.type("go\r");
      await terminal.until("replying");
      await sleep(streamedMs);
      const typed = performance.now();
      terminal.type("\u001b");
      await terminal.until(waits);
      times.push(performance.now() - typed);
    }
    return times;
  } finally {
    await terminal.close();
  }
}

/** Returns the megabytes of the chat's process after 10,000 items and a pause, as a talk of an hour has many. */
async function measureMemory(): Promise<number> {
  const pty = openPty([child]);
  try {
    await pty.until(ready, 0);
    await sleep(settleMs);
    let megabytes = Number.NaN;
    for (let turn = 1; turn <= 101; turn += 1) {
      if (turn === 101) await sleep(longPauseMs);
      const begin = pty.length();
      pty.type(`items ${turn}\r`);
      const answer = new RegExp(`ANSWER to items ${turn}: (\\d+) MB`, "u");
      await pty.until(`ANSWER to items ${turn}:`, begin);
      await sleep(turnPauseMs);
      megabytes = Number(answer.exec(pty.textFrom(begin))?.[1]);
    }
    return megabytes;
  } finally {
    await pty.close();
  }
}

async function measureFirstFrames(
  folder: string,
): Promise<{ readonly rows: readonly Row[]; readonly overNodeMs: number }> {
  const program = path.join(packageRoot(), "dist", "program", "palimpsest.js");
  const bare = await alternate(
    [
      firstFrame(["-e", `process.stdout.write("hello")`], "hello"),
      firstFrame([program, "--data-dir", folder, "-m", "demo"], ready),
    ],
    { rounds: firstFrames, warmups: 1 },
  );
  const [floor = [], chat = []] = bare;
  const ratio = quantile(chat, 0.5) / quantile(floor, 0.5);
  return {
    rows: [rowOf("bare node: first word (floor)", floor), rowOf("chat: first frame, warm", chat, { ratio })],
    overNodeMs: quantile(chat, 0.5) - quantile(floor, 0.5),
  };
}

function firstFrame(args: readonly string[], text: string): () => Promise<void> {
  return async () => {
    const pty = openPty(args);
    try {
      await pty.until(text, 0);
    } finally {
      await pty.close();
    }
  };
}
