// Connects to an MCP server that is a program, by JSON-RPC messages, one per line, over its standard input and output.
// Invariant: the server's output is bounded, lines that are not messages are skipped, and `close` ends the process.
import { type ChildProcess, spawn } from "node:child_process";
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from "@modelcontextprotocol/client";
import { getDefaultEnvironment } from "@modelcontextprotocol/client/stdio";
import { messageOf } from "../../base/thrown-values.ts";
import { ToolError } from "../../base/errors.ts";
import { bounds } from "./bounds.ts";

export interface ServerProgram {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
}

export interface ChildTransport extends Transport {
  /** Returns the end of the server's standard error. */
  lastErrors(): string;
}

/** Milliseconds for the server to exit by itself after its input has ended. */
const patience = 500;

export function createChildTransport({ command, args = [], env, cwd }: ServerProgram): ChildTransport {
  let child: ChildProcess | undefined;
  let errors = "";
  let isClosed = false;
  const transport: ChildTransport = { start, send, close, lastErrors: () => errors.trim() };

  async function start(): Promise<void> {
    const started = spawn(command, [...args], {
      env: { ...getDefaultEnvironment(), ...env },
      ...(cwd === undefined ? {} : { cwd }),
      stdio: ["pipe", "pipe", "pipe"],
      // The server gets its own process group, so that its children end with it, and Ctrl+C in the terminal does not reach it.
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    child = started;
    await new Promise<void>((resolve, reject) => {
      started.once("spawn", resolve);
      started.once("error", reject);
    });
    // Writing to a process that has ended emits `error`; the event `close` reports the end of the process.
    started.stdin.on("error", (error) => transport.onerror?.(error));
    started.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors = (errors + text).slice(-bounds.errorText);
    });
    readMessages(started, transport, stop);
    started.once("close", () => {
      if (!isClosed) stop();
    });
  }

  function stop(): void {
    if (isClosed) return;
    isClosed = true;
    kill(child);
    transport.onclose?.();
  }

  async function send(message: JSONRPCMessage): Promise<void> {
    if (isClosed || child?.stdin?.writable !== true) throw new ToolError("its process has ended");
    child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  async function close(): Promise<void> {
    if (isClosed) return;
    isClosed = true;
    child?.stdin?.end();
    if (child !== undefined) await endOf(child);
    kill(child);
    transport.onclose?.();
  }

  return transport;
}

/** Delivers each line that is a message to the transport; calls `stop` if the server writes too much. */
function readMessages(child: ChildProcess, transport: Transport, stop: () => void): void {
  let pieces: Buffer[] = [];
  let length = 0;
  let unanswered = { bytes: 0, lines: 0 };
  const isTooMuch = (): boolean =>
    length > bounds.messageBytes ||
    unanswered.bytes > bounds.unansweredBytes ||
    unanswered.lines > bounds.unansweredLines;
  child.stdout?.on("data", (chunk: Buffer) => {
    let from = 0;
    unanswered.bytes += chunk.length;
    for (let end = chunk.indexOf(10); end !== -1 && !isTooMuch(); end = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...pieces, chunk.subarray(from, end)]);
      [pieces, length, from] = [[], 0, end + 1];
      unanswered.lines += 1;
      if (deliver(line.toString("utf8"), transport)) unanswered = { bytes: 0, lines: 0 };
    }
    const rest = chunk.subarray(from);
    pieces.push(rest);
    length += rest.length;
    if (!isTooMuch()) return;
    child.stdout?.destroy();
    pieces = [];
    transport.onerror?.(new ToolError("it wrote too many lines or bytes without answering, and was stopped"));
    stop();
  });
}

/** Delivers a line if it is a message. Returns whether it was an answer to a request. */
function deliver(line: string, transport: Transport): boolean {
  if (!line.startsWith("{")) return false;
  try {
    const message = parseJSONRPCMessage(JSON.parse(line));
    transport.onmessage?.(message);
    return "result" in message || "error" in message;
  } catch (error) {
    transport.onerror?.(new ToolError(`it wrote a line that is not a JSON-RPC message (${messageOf(error)})`));
    return false;
  }
}

function kill(child: ChildProcess | undefined): void {
  if (child?.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill("SIGKILL");
    else process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    // ESRCH: no process of the group is left.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, patience);
    child.once("exit", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
