// Connects to the embedded engine and disconnects many times. Each client leaves a named statement behind, and every tenth
// an open transaction: `connects.js [count]`, 300 by default.
// Invariant: fails unless afterwards the backend has no prepared statement, and the server's memory has stopped growing.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import postgres from "postgres";
import { connectOrServe } from "../src/store/embedded/connect-or-serve.ts";
import { rssOf } from "./server-usage.ts";

const count = Number(process.argv[2] ?? 300);
const folder = mkdtempSync(path.join(os.tmpdir(), "palimpsest-bench-"));
// MB that the first connections allocate permanently (compiled code, caches); measured: 20 to 40.
const ALLOWED_GROWTH = 80;

const { connection } = await connectOrServe({ folder, host: "process", idleMs: 2000 });
const pid = serverPid();
const watch = postgres({ ...connection, max: 1, onnotice: () => undefined });
await watch`create table notes (id int)`;

const started = performance.now();
const before = residentMegabytes();
for (let round = 0; round < count; round += 1) {
  const sql = postgres({ ...connection, prepare: true, max: 1, fetch_types: false, onnotice: () => undefined });
  await sql`select ${round}::int as round`;
  if (round % 10 === 0) await sql`begin; insert into notes values (1)`.simple();
  await sql.end({ timeout: 0 });
  if (round % Math.ceil(count / 10) === 0) console.log(`${round} connections: ${residentMegabytes()} MB`);
}
const seconds = (performance.now() - started) / 1000;
// The next client makes the server clean up after the previous one.
await watch`select 1`;
const left = await watch`select name from pg_prepared_statements where name <> ''`;
const rows = await watch`select id from notes`;
const after = residentMegabytes();
await watch.end();
console.log(`${count} connections in ${seconds.toFixed(1)} s (${((seconds * 1000) / count).toFixed(2)} ms each)`);
console.log(`prepared statements left: ${left.length}, rows of abandoned transactions: ${rows.length}`);
console.log(`server's memory: ${before} MB before, ${after} MB after`);

process.kill(pid, "SIGTERM");
while (!readdirSync(folder).some((name) => name.startsWith("server-lock-") && isReleased(name))) {
  await new Promise((resolve) => setTimeout(resolve, 20));
}
rmSync(folder, { recursive: true });
if (left.length > 0 || rows.length > 0 || after - before > ALLOWED_GROWTH) process.exitCode = 1;

function serverPid(): number {
  const name = readdirSync(folder).find((file) => file.startsWith("server-lock-"))!;
  return Number(JSON.parse(readFileSync(path.join(folder, name), "utf8")).pid);
}

function isReleased(name: string): boolean {
  return readFileSync(path.join(folder, name), "utf8").includes('"released":true');
}

function residentMegabytes(): number {
  return Math.round(rssOf(pid) / 2 ** 20);
}
