// `palimpsest serve` as a process: its key, its counters for Prometheus, and its end.
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { ended, printed, startProgram } from "../support/started-program.ts";
import { useFolder } from "../support/folders.ts";

const folder = useFolder();

const start = (...flags: readonly string[]) => startProgram("serve", flags, { home: folder });

test("serves with its key, counts requests and turns, and ends with SIGTERM", async () => {
  const served = start("--port", "0", "--metrics-port", "0");
  const url = await printed(served, /Serving (\S+)/u);
  const metrics = await printed(served, /Prometheus: (\S+)/u);
  const key = readFileSync(path.join(folder, ".palimpsest", "server-key"), "utf8").trim();
  const ask = (method: string, at: string, body?: object) =>
    fetch(`${url}${at}`, {
      method,
      headers: { authorization: `Bearer ${key}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  expect((await fetch(`${url}/api/agents`)).status).toBe(401);
  expect((await ask("POST", "/api/agents", { name: "secretname" })).status).toBe(201);
  const { id } = (await (await ask("POST", "/api/agents/secretname/conversations", {})).json()) as { id: string };
  const turns = `/api/agents/secretname/conversations/${id}/turns`;
  const turn = (await (await ask("POST", turns, { messages: [{ text: "Hello" }] })).json()) as { turnId: string };
  expect(await (await ask("GET", `${turns}/${turn.turnId}/events`)).text()).toContain("turn-end");

  const text = await (await fetch(metrics)).text();
  expect(text).toContain('palimpsest_turns_total{outcome="end-turn"} 1');
  expect(text).toContain('palimpsest_http_requests_total{method="POST",route="/api/agents",status="201"} 1');
  expect(text).toContain('palimpsest_http_requests_total{method="GET",route="/api/agents",status="401"} 1');
  expect(text).toMatch(/^palimpsest_http_request_seconds_count\{method="POST",route="\/api\/agents"\} 1$/mu);
  expect(text).toMatch(/^process_resident_memory_bytes \d+$/mu);
  for (const line of text.trimEnd().split("\n")) {
    expect(line).toMatch(
      /^(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{\w+="[^"]*"(?:,\w+="[^"]*")*\})? \d+(?:\.\d+)?(?:e-?\d+)?)$/u,
    );
  }
  expect(text).not.toMatch(/secretname|Hello|local/u);
  expect(await (await fetch(new URL("/other", metrics))).text()).toContain("/metrics");

  served.child.kill("SIGTERM");
  expect(await ended(served)).toBe(0);
  const lines = served.errors().trimEnd().split("\n");
  const log = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  for (const line of log)
    expect(line).toMatchObject({ time: expect.stringMatching(/^\d{4}-.*Z$/u), message: expect.any(String) });
  const warning = { level: "warn", message: expect.stringMatching(/^"secretname" is created with an empty persona/u) };
  expect(log.filter(({ level }) => level !== "info")).toMatchObject([warning]);
  const logged = log.map(({ message }) => message);
  expect(logged).toContain("POST /api/agents 201");
  expect(logged.slice(-2)).toEqual([
    "Shutting down: running turns have five seconds. Ctrl+C again ends the process at once.",
    "Stopped cleanly: every turn has ended, or the next server continues it.",
  ]);
});

test("a port in use is reported, and nothing keeps running", async () => {
  const taken: Server = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const { port } = taken.address() as AddressInfo;
  for (const flags of [
    ["--port", String(port)],
    ["--port", "0", "--metrics-port", String(port)],
  ]) {
    const refused = start(...flags);
    expect(await ended(refused)).toBe(2);
    expect(refused.output()).toContain(`Cannot listen on 127.0.0.1, port ${port}. Another program uses the port`);
  }
  taken.close();
});
