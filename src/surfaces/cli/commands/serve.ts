// `palimpsest serve` and `palimpsest inspect`: the server, and its page in a browser.
// Invariant: `inspect` sends its key only to a server that has proved its access to this data folder. The key is not
// printed, and the browser gets a code for one use instead of the key. A key file with an invalid key is replaced.
import { randomBytes } from "node:crypto";
import { mkdir, readFile, rm } from "node:fs/promises";
import { ConfigError } from "../../../base/errors.ts";
import { systemErrorCode, valueOn } from "../../../base/thrown-values.ts";
import type { Host } from "../../../runtime/host.ts";
import { type CommandCall, commandTable } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { openBrowser } from "../open-browser.ts";
import { numberFlag, settingsOf } from "../parse/flag-values.ts";
import { notice, printError, printText } from "../print.ts";
import { defaultPort, jsonLog, serveHost, type ServeLog } from "../serve/serve-host.ts";
import { dirname, join } from "node:path";
import type { HostKeys } from "../../../runtime/keys/contract.ts";
import { createTextFile } from "../new-file.ts";

export const commands = commandTable({
  serve: {
    summary: "serve the agents of all users over HTTP",
    details:
      "Every request needs a key (keys create). On this machine, the first start writes one to the file server-key in the data\n" +
      "folder. Other machines can connect if --host is one of this machine's addresses; then put a proxy with TLS in front.\n" +
      "Ctrl+C refuses new requests and gives running turns five seconds. The next server continues unfinished turns.",
    flags: ["host", "port", "cors", "requests-per-minute", "metrics-port"],
    takesSettings: true,
    handlesAbort: true,
    run: serve,
  },
  inspect: {
    summary: "see inside your agents in a browser",
    details:
      "Opens the inspector of the server at --port on this machine. If none runs there, starts one that runs until Ctrl+C.\n" +
      "Without a screen, prints the address and the file with the key, which the page asks for.",
    flags: ["port"],
    takesSettings: true,
    handlesAbort: true,
    run: inspect,
  },
});

async function serve(call: CommandCall): Promise<number> {
  const { world, line } = call;
  const log = jsonLog(call);
  const host = await world.openHost(settingsOf(line), (text, level) => log(level ?? "warn", text));
  try {
    const hostname = line.texts.host ?? "127.0.0.1";
    const { isLoopback } = await import("../../http/serve.ts");
    await serveHost(call, {
      host,
      hostname,
      port: numberFlag(line, "port", { min: 0, max: 65_535, otherwise: defaultPort }),
      log,
      logsRequests: true,
      greet: (url) => greeting(call, host, url, isLoopback(hostname)),
    });
  } finally {
    await host.close();
  }
  return world.signal.aborted ? exitCodes.done : exitCodes.failed;
}

async function greeting({ world, line }: CommandCall, host: Host, url: string, isLocal: boolean): Promise<string> {
  const { dataDir, userId, model } = await world.settings(settingsOf(line));
  const serving = `Serving ${url}\nNew agents use the model ${model}.`;
  if (!isLocal) return `${serving}\nEvery request needs a key: ${world.command} keys create --user NAME`;
  const { file, isNew } = await localKey(host.keys, { dataDir, userId });
  return [
    serving,
    isNew ? `Wrote a key of "${userId}" to ${file}. Try:` : `The key of "${userId}" is in ${file}. Try:`,
    `  curl -H "Authorization: Bearer $(cat '${file}')" ${url}/api/agents`,
    `See inside your agents: ${world.command} inspect, or ${url}/inspect`,
  ].join("\n");
}

async function inspect(call: CommandCall): Promise<number> {
  const { world, line } = call;
  const port = numberFlag(line, "port", { min: 0, max: 65_535, otherwise: defaultPort });
  const host = await world.openHost(settingsOf(line), (text) => notice(call, text));
  try {
    const key = await keyOf(call, host);
    const found = port === 0 ? ({ type: "none" } as const) : await findServer(port, key);
    if (found.type === "ours") {
      printText(world, await show(call, found.url, key));
      return exitCodes.done;
    }
    if (found.type !== "none") throw taken(port, found.type);
    const greet = (url: string): Promise<string> => show(call, url, key);
    const log: ServeLog = (level, text) => (level === "error" ? printError(world, text) : notice(call, text));
    await serveHost(call, { host, hostname: "127.0.0.1", port, log, logsRequests: false, greet });
  } finally {
    await host.close();
  }
  return world.signal.aborted ? exitCodes.done : exitCodes.failed;
}

interface Key {
  readonly userId: string;
  readonly file: string;
  readonly secret: string;
  readonly dataDir: string;
}

async function keyOf({ world, line }: CommandCall, host: Host): Promise<Key> {
  const { dataDir, userId } = await world.settings(settingsOf(line));
  const { file } = await localKey(host.keys, { dataDir, userId });
  return { userId, file, dataDir, secret: (await readFile(file, "utf8")).trim() };
}

/** Opens the inspector in a browser if possible. Returns the text to print. */
async function show({ world }: CommandCall, url: string, { userId, file, dataDir }: Key): Promise<string> {
  const address = `${url}/inspect`;
  const isOpened =
    world.opener !== null && (await openBrowser(world.opener, `${address}#code=${await newCode(dataDir)}`));
  if (isOpened) return `The inspector is open in your browser: ${address}`;
  return `The inspector: ${address}\nThe page asks for a key. The key of "${userId}" is in ${file}`;
}

function taken(port: number, by: "other-store" | "other-program"): ConfigError {
  const whose = by === "other-store" ? "a server with another store, or of another user" : "another program";
  return new ConfigError(
    `Port ${port} of this machine is used by ${whose}. Choose another port, or 0 for any free port.`,
  );
}

/** What listens at a port of this machine. */
type FoundServer =
  /** Nothing listens at the port. */
  | { readonly type: "none" }
  | { readonly type: "ours"; readonly url: string }
  /** A server of Palimpsest that has another data folder or store. */
  | { readonly type: "other-store" }
  /** Another program listens at the port. */
  | { readonly type: "other-program" };

const longestWaitMs = 3000;

/** Writes a new one-time code for the inspector to the data folder (`inspector-codes.ts`), and returns the code. */
async function newCode(dataDir: string): Promise<string> {
  const { writeCode } = await import("../../http/inspector/inspector-codes.ts");
  return writeCode(dataDir, new Date());
}

async function findServer(
  port: number,
  { secret, dataDir }: { readonly secret: string; readonly dataDir: string },
): Promise<FoundServer> {
  const url = `http://127.0.0.1:${port}`;
  const health = await answer(`${url}/health`, {});
  if (health === "refused") return { type: "none" };
  if (health === "silent" || health.status !== 200 || !isHealth(health.json)) return { type: "other-program" };
  if (!(await provesFolder(url, port, dataDir))) return { type: "other-store" };
  const usage = await answer(`${url}/api/usage`, { authorization: `Bearer ${secret}` });
  if (typeof usage === "object" && usage.status === 200) return { type: "ours", url };
  return { type: "other-store" };
}

/** Whether the server returns a proof that only a program with access to the data folder can compute. */
async function provesFolder(url: string, port: number, dataDir: string): Promise<boolean> {
  const { proofOf } = await import("../../http/inspector/inspector-codes.ts");
  const code = await newCode(dataDir);
  const nonce = randomBytes(24).toString("base64url");
  const answered = await answer(`${url}/inspect/proof?nonce=${nonce}`, {});
  const { proof } = (typeof answered === "object" ? (answered.json ?? {}) : {}) as { readonly proof?: unknown };
  return proof === proofOf(code, nonce, port);
}

interface Answer {
  readonly status: number;
  readonly json: unknown;
}

async function answer(url: string, headers: Readonly<Record<string, string>>): Promise<Answer | "refused" | "silent"> {
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(longestWaitMs), redirect: "error" });
    return { status: response.status, json: await response.json().catch(() => null) };
  } catch (error) {
    return isRefusal(error) ? "refused" : "silent";
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && systemErrorCode(error.cause) === "ECONNREFUSED";
}

function isHealth(json: unknown): boolean {
  const { status, version } = (json ?? {}) as { readonly status?: unknown; readonly version?: unknown };
  return status === "ok" && typeof version === "string";
}

/** Returns the file with a valid key of this user. Creates key and file if needed. Throws ConfigError if that fails. */
export async function localKey(
  keys: Pick<HostKeys, "create" | "verify">,
  { dataDir, userId }: { readonly dataDir: string; readonly userId: string },
) {
  const file = join(dataDir, "server-key");
  const secret = await secretIn(file);
  const known = secret === null ? null : await keys.verify(secret);
  if (known?.userId === userId) return { file, isNew: false };
  const created = await keys.create(userId, { name: "local server", scope: "admin" });
  await mkdir(dirname(file), { recursive: true });
  await rm(file, { force: true });
  await createTextFile(file, `${created.secret}\n`);
  return { file, isNew: true };
}

async function secretIn(file: string): Promise<string | null> {
  return (await readFile(file, "utf8").catch(valueOn("ENOENT", null)))?.trim() ?? null;
}
