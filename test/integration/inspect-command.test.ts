// `palimpsest inspect` as a process: it serves the page or uses a server that runs, and its key is printed nowhere.
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { ended, printed, type StartedProgram, startProgram } from "../support/started-program.ts";
import { useFolder } from "../support/folders.ts";

const folder = useFolder();
const opened = path.join(folder, "opened.txt");
// Stands for the program that opens addresses: it notes what it gets.
const opener = path.join(folder, "xdg-open");
writeFileSync(opener, `#!/bin/sh\nprintf '%s' "$1" > "${opened}"\n`);
chmodSync(opener, 0o755);

const start = (flags: readonly string[], env: Readonly<Record<string, string>> = {}): StartedProgram =>
  startProgram("inspect", flags, { home: folder, env: { PATH: `${folder}:${process.env["PATH"]}`, ...env } });

const keyOf = () => readFileSync(path.join(folder, ".palimpsest", "server-key"), "utf8").trim();

test("serves the page, with a policy that allows nothing from elsewhere", async () => {
  const served = start(["--port", "0"]);
  const url = await printed(served, /The inspector: (\S+)/u);
  const page = await fetch(url);
  const text = await page.text();
  expect((await fetch(new URL("/", url))).url).toBe(url);
  expect(page.headers.get("content-security-policy")).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self'; /u,
  );
  expect(page.headers.get("cache-control")).toBe("no-cache");
  const assets = [...text.matchAll(/"(\/inspect\/assets\/[^"]+)"/gu)].map(([, asset]) => asset!);
  expect(assets).toHaveLength(3);
  for (const asset of assets) {
    expect(asset).toMatch(/-[A-Z0-9]{8}\.(?:js|css|svg)$/u);
    const response = await fetch(new URL(asset, url));
    expect([response.status, response.headers.get("cache-control")]).toEqual([
      200,
      "public, max-age=31536000, immutable",
    ]);
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
  }
  for (const name of ["..%2findex.html", "%2e%2e%2findex.html", "main.js", "LICENSES.txt"]) {
    expect((await fetch(`${url}/assets/${name}`)).status).toBe(404);
  }
  expect(existsSync(opened)).toBe(false);

  // A second one uses the first, and opens the browser with a code, which gives the key once.
  const { port } = new URL(url);
  const second = start(["--port", port], { DISPLAY: ":9" });
  expect(await ended(second)).toBe(0);
  expect(second.output()).toContain(`The inspector is open in your browser: ${url}`);
  const [, code = ""] = /^(?:\S+)#code=([\w-]{43})$/u.exec(readFileSync(opened, "utf8")) ?? [];
  const redeem = (body: object) => fetch(`${url}/key`, { method: "POST", body: JSON.stringify(body) });
  for (const body of [{ code: `${code}x` }, {}]) expect((await redeem(body)).status).toBe(401);
  expect(statSync(path.join(folder, ".palimpsest", "inspect-code")).mode & 0o777).toBe(0o600);
  const answers = await Promise.all([redeem({ code }), redeem({ code })]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
  const bodies = await Promise.all(answers.map((answer) => answer.json()));
  expect(bodies).toContainEqual({ key: keyOf() });
  expect(served.output() + second.output()).not.toContain(keyOf());
  expect(served.output()).not.toContain("requestId");

  // Of another data folder, it does not know the key.
  const foreign = start(["--port", port, "--data-dir", path.join(folder, "other")]);
  expect(await ended(foreign)).toBe(2);
  expect(foreign.output()).toContain(`Port ${port} of this machine is used by a server with another store`);
  served.child.kill("SIGTERM");
  expect(await ended(served)).toBe(0);
});

test("prints the address if the browser does not open", async () => {
  const served = start(["--port", "0", "--quiet"], { DISPLAY: ":9", PATH: "/nonexistent" });
  await printed(served, /The inspector: (\S+)/u);
  expect(served.output()).toContain(`The key of "local" is in`);
  served.child.kill("SIGTERM");
  await ended(served);
});

test("sends no key to a program that answers like a server, nor to one that passes requests on to ours", async () => {
  const served = start(["--port", "0"]);
  const url = new URL(await printed(served, /The inspector: (\S+)/u));
  const seen: string[] = [];
  for (const passesOn of [false, true]) {
    const other = createServer((request, response) => {
      seen.push(`${request.url?.split("?")[0]} ${request.headers.authorization ?? "no key"}`);
      const answer = async () => {
        if (request.url === "/health") return JSON.stringify({ status: "ok", version: "0.1.0" });
        return passesOn ? await (await fetch(new URL(request.url ?? "", url))).text() : '{"proof":""}';
      };
      void answer().then((text) => response.end(text));
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    const refused = start(["--port", String(port)]);
    expect(await ended(refused)).toBe(2);
    expect(refused.output()).toContain(`Port ${port} of this machine is used by a server with another store`);
    other.close();
  }
  expect(seen).toEqual(["/health no key", "/inspect/proof no key", "/health no key", "/inspect/proof no key"]);
  served.child.kill("SIGTERM");
  await ended(served);
});

test("does not take another program for a server, and sends it no key", async () => {
  const seen: unknown[] = [];
  const other = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.end("hello");
  });
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  const refused = start(["--port", String(port)]);
  expect(await ended(refused)).toBe(2);
  expect(refused.output()).toContain(`Port ${port} of this machine is used by another program`);
  expect(seen).toEqual([undefined]);
  other.close();
});
