// Measures the terminal chat: its output and CPU time while a long reply streams, the latency of keys meanwhile, and the
// time of its first frame compared with a hello-world program in Ink.
// Invariant: every bound is checked, and each exceeded bound is reported by name.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { packageRoot } from "../src/base/package-root.ts";
import { alternate, quantile, type Row, rowOf } from "./measure.ts";
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
// oxlint-disable-next-line no-control-regex -- the sequences that clear the screen or the scrollback
const fullClear = /\u001b\[[23]J/gu;
const repaint = "\u001b[?2026h";

const bounds = { clears: 0, cpuShare: 1, echoP95Ms: 50, repaintsPerSecond: 30, firstFrameRatio: 1.8 };

interface Streamed {
  readonly bytesPer300: number;
  readonly clears: number;
  readonly repaintsPerSecond: number;
  readonly cpuSeconds: number;
  readonly streamSeconds: number;
  readonly echoMs: readonly number[];
}

export async function benchTui() {
  const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-bench-"));
  try {
    const streamed = await measureStream(path.join(folder, "seconds.json"));
    const { rows, ratio } = await measureFirstFrames(path.join(folder, "data"));
    const { echoMs, ...figures } = streamed;
    const tui = { ...figures, cpuShare: figures.cpuSeconds / figures.streamSeconds, echoP95Ms: quantile(echoMs, 0.95) };
    const measured = { ...tui, firstFrameRatio: ratio };
    const broken = Object.entries(bounds).flatMap(([name, max]) => {
      const value = measured[name as keyof typeof bounds];
      return value <= max ? [] : [`${name}: ${value.toFixed(2)}, bound ${max}`];
    });
    const note = Object.entries(measured).map(([name, value]) => `${name} ${Number(value.toFixed(2))}`);
    process.stdout.write(`\ntui, ${tokens} tokens at ${tokensPerSecond} a second: ${note.join(", ")}\n`);
    return {
      rows: [rowOf("a key until it is shown, while streaming", echoMs), ...rows],
      more: { tui: measured },
      broken,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function measureStream(file: string): Promise<Streamed> {
  const child = path.join(packageRoot(), ".cache", "bench", "bench", "tui-chat.js");
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
      if (keys <= maxKeys) echoMs.push(await echoOf(pty, keys));
    }
    await pty.until(ready, pty.length() - 2_000);
    const written = pty.textFrom(begin);
    const { stream, cpu } = JSON.parse(readFileSync(file, "utf8")) as { stream: number; cpu: number };
    return {
      bytesPer300: (Buffer.byteLength(written) * 300) / tokens,
      clears: written.match(fullClear)?.length ?? 0,
      repaintsPerSecond: (written.split(repaint).length - 1) / stream,
      cpuSeconds: cpu,
      streamSeconds: stream,
      echoMs,
    };
  } finally {
    await pty.close();
  }
}

/** The prompt is redrawn completely each time, so the nth key is shown when n of them are adjacent. */
async function echoOf(pty: Pty, keys: number): Promise<number> {
  const typed = performance.now();
  const offset = pty.length();
  pty.type("q");
  return (await pty.until("q".repeat(keys), offset)) - typed;
}

async function measureFirstFrames(folder: string): Promise<{ readonly rows: readonly Row[]; readonly ratio: number }> {
  const hello = path.join(packageRoot(), ".cache", "bench", "bench", "tui-hello.js");
  const program = path.join(packageRoot(), "dist", "program", "palimpsest.js");
  const bare = await alternate(
    [firstFrame([hello], "hello, world"), firstFrame([program, "--data-dir", folder, "-m", "demo"], ready)],
    { rounds: firstFrames, warmups: 1 },
  );
  const [floor = [], chat = []] = bare;
  const ratio = quantile(chat, 0.5) / quantile(floor, 0.5);
  return {
    rows: [rowOf("hello-world of Ink: first frame (floor)", floor), rowOf("chat: first frame, warm", chat, { ratio })],
    ratio,
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
