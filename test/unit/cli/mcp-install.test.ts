// `mcp install`: what is shown, and what is written into the files of other programs.
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { runInWorld } from "../../support/fake-world.ts";
import { useFolder } from "../../support/folders.ts";

const home = useFolder();

const place = (platform = "linux") => ({
  platform,
  home,
  workingFolder: path.join(home, "project"),
  appData: path.join(home, "Roaming"),
  node: "/usr/bin/node",
  script: "/opt/palimpsest.js",
});

const run = (...argv: string[]) => runInWorld(["mcp", "install", ...argv], { place: place() });

test.each([
  ["claude-code", "linux", "project/.mcp.json", { type: "stdio" }],
  ["claude-code-user", "linux", ".claude.json", { type: "stdio" }],
  ["claude-desktop", "linux", ".config/Claude/claude_desktop_config.json", {}],
  ["claude-desktop", "darwin", "Library/Application Support/Claude/claude_desktop_config.json", {}],
  ["claude-desktop", "win32", "Roaming/Claude/claude_desktop_config.json", {}],
  ["cursor", "linux", ".cursor/mcp.json", {}],
  ["vscode", "linux", "project/.vscode/mcp.json", { type: "stdio" }],
])("%s on %s: %s", async (client, platform, file, entry) => {
  const { exitCode, stdout } = await runInWorld(["mcp", "install", client, "-a", "work", "--trust", "user"], {
    place: place(platform),
  });
  expect(exitCode).toBe(0);
  expect(stdout).toContain(`Add this to ${path.join(home, file)}, or run the command again with --write:\n`);
  expect(JSON.parse(stdout.slice(stdout.indexOf("{"), stdout.lastIndexOf("}") + 1))).toEqual({
    [client === "vscode" ? "servers" : "mcpServers"]: {
      palimpsest: {
        ...entry,
        command: "/usr/bin/node",
        args: ["/opt/palimpsest.js", "mcp", "--agent", "work", "--trust", "user"],
      },
    },
  });
});

test("--write makes the file, replaces its own entry, and keeps everything else", async () => {
  const file = path.join(home, ".cursor", "mcp.json");
  expect((await run("cursor", "--write")).stdout).toBe(
    `Added "palimpsest" in ${file}. Cursor lists the server in its settings, under MCP.\n`,
  );
  const written = JSON.parse(readFileSync(file, "utf8"));
  const other = { command: "other", env: { KEY: "x" } };
  writeFileSync(file, JSON.stringify({ theme: "dark", mcpServers: { other, ...written.mcpServers } }));
  expect((await run("cursor", "--write", "-a", "work")).stdout).toMatch(/^Replaced "palimpsest" in /u);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    theme: "dark",
    mcpServers: {
      other,
      palimpsest: { command: "/usr/bin/node", args: ["/opt/palimpsest.js", "mcp", "--agent", "work"] },
    },
  });
});

test("a file that is there keeps its rights", async () => {
  const file = path.join(home, ".claude.json");
  writeFileSync(file, '{"oauthAccount":{}}', { mode: 0o600 });
  expect((await run("claude-code-user", "--write")).exitCode).toBe(0);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(Object.keys(JSON.parse(readFileSync(file, "utf8")))).toEqual(["oauthAccount", "mcpServers"]);
});

test.each([
  ["comments", '{\n  // mine\n  "servers": {}\n}', "it is not a JSON object without comments"],
  ["a list", "[]", "it is not a JSON object without comments"],
  ["servers that are no object", '{"servers": []}', 'its "servers" is not an object'],
])("a file with %s is not changed", async (_, text, reason) => {
  const file = path.join(home, "project", ".vscode", "mcp.json");
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  const { exitCode, stderr } = await run("vscode", "--write");
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`was not changed: ${reason}`)]);
  expect(readFileSync(file, "utf8")).toBe(text);
});

test("an unknown program is refused with the known ones", async () => {
  const { exitCode, stderr } = await run("emacs");
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining(
      'expected one of claude-code, claude-code-user, claude-desktop, cursor, vscode, got "emacs"',
    ),
  ]);
});
