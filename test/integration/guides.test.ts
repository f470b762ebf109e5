// The commands of the pages in docs/, run in order by bash in an empty home, and what the pages show of their output. A block below
// `<!-- not run: REASON -->` is left out.
// Other programs that a page starts are scripts that do nothing; Ollama's server is scripted, and Letta's database is a copy. The team's
// server uses the test server if there is one.
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { packageRoot } from "../../src/base/package-root.ts";
import { createTestDatabase, isOnServer } from "../support/database.ts";
import { openLettaCopy } from "../support/letta-database.ts";
import { startScriptedOllama } from "../support/scripted-ollama.ts";
import { useFolder } from "../support/folders.ts";

const docs = path.join(packageRoot(), "docs");
interface Step {
  readonly commands: string;
  /** Lines that the output contains in this order; `…` stands for any text. */
  readonly shown: readonly string[];
}

/** The steps of a page: its blocks of the language `sh` that are run, each with the block of text after it. */
function stepsOf(page: string): Step[] {
  const blocks = readFileSync(path.join(docs, page), "utf8").matchAll(
    /(<!-- not run: .*\n+)?^( *)```(\w*)\n([\s\S]*?)^ *```$/gmu,
  );
  const steps: Step[] = [];
  let last = "";
  for (const [, notRun, margin = "", language = "", block = ""] of blocks) {
    if (notRun !== undefined) {
      last = "";
      continue;
    }
    const text = block.replaceAll(new RegExp(`^${margin}`, "gmu"), "");
    if (language === "sh") steps.push({ commands: text, shown: [] });
    else if (language === "text" && last === "sh") {
      steps.push({ ...steps.pop()!, shown: text.split("\n").filter((line) => line !== "") });
    }
    last = language;
  }
  return steps;
}

const pages = [...readdirSync(docs), ...readdirSync(path.join(docs, "guides")).map((file) => `guides/${file}`)].filter(
  (page) => page.endsWith(".md") && stepsOf(page).length > 0,
);

const home = useFolder();

/** A folder with the command `palimpsest`, and one that does nothing for each other program. */
function commandsIn(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const program = path.join(packageRoot(), "dist", "program", "palimpsest.js");
  const scripts = { palimpsest: `exec "${process.execPath}" "${program}" "$@"`, ollama: "exit 0", docker: "exit 0" };
  for (const [name, body] of Object.entries(scripts)) {
    writeFileSync(path.join(folder, name), `#!/bin/sh\n${body}\n`);
    chmodSync(path.join(folder, name), 0o755);
  }
  return folder;
}

/** Runs the steps as one script, and returns what each wrote to standard output. A step that fails ends it. */
async function run(steps: readonly Step[], folder: string, env: Readonly<Record<string, string>>): Promise<string[]> {
  const end = "--- end of a step ---";
  const script = steps.map(({ commands }) => `${commands}\necho; echo "${end}"\n`).join("");
  const child = spawn(
    "bash",
    ["-c", `set -euo pipefail; trap 'jobs -p | xargs --no-run-if-empty kill; wait' EXIT\n${script}`],
    {
      cwd: folder,
      env: {
        PATH: `${commandsIn(path.join(folder, ".bin"))}:${process.env["PATH"]}`,
        NODE_OPTIONS: process.env["NODE_OPTIONS"],
        HOME: folder,
        CI: "true",
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let [said, errors] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const code = await new Promise((resolve) => child.on("close", resolve));
  if (code !== 0) throw new Error(`Step ${said.split(end).length} ended with ${String(code)}: ${said}\n${errors}`);
  return said.split(end).slice(0, -1);
}

/** Writes an agent file of Letta, and passages, as the client code of from-letta.md does. */
function writeExported(folder: string): void {
  const file = readFileSync(path.join(packageRoot(), "test", "fixtures", "letta", "agent-0.16.af"), "utf8");
  const { agents } = JSON.parse(file) as { agents: readonly { readonly name: string }[] };
  writeFileSync(path.join(folder, `${agents[0]!.name}.af`), file);
  writeFileSync(path.join(folder, `${agents[0]!.name}.jsonl`), '{"text": "The harbour closes at nine.", "tags": []}\n');
}

/** A port that nothing listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

const escaped = (line: string): string =>
  line
    .split("…")
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/gu, "\\$&"))
    .join(".*");

test("every page that says so has commands", () => {
  const tested = [
    "agents-together.md",
    "from-letta.md",
    "memory-files.md",
    "skills.md",
    "guides/from-memgpt.md",
    "guides/give-an-agent-a-file.md",
    "guides/run-for-a-team.md",
  ];
  expect(pages).toEqual([...tested, "guides/share-memory-over-mcp.md", "guides/use-ollama.md"]);
});

test.each(pages)("the commands of %s do what the page shows", async (page) => {
  const steps = stepsOf(page);
  await using ollama = await startScriptedOllama({ window: 32_768, models: [{ name: "qwen3:8b" }] });
  const letta = page === "from-letta.md" ? await openLettaCopy() : undefined;
  const database = isOnServer && page.includes("team") ? await createTestDatabase() : undefined;
  const server =
    database?.connection.kind === "server" ? `export PALIMPSEST_DATABASE_URL="${database.connection.url}"\n` : "";
  const port = await freePort();
  const here = (text: string): string =>
    text
      .replaceAll("http://localhost:11434/v1", ollama.url)
      .replaceAll("postgresql://letta:letta@localhost:5432/letta", letta?.url ?? "")
      .replaceAll("8283", String(port))
      .replaceAll(/^export PALIMPSEST_DATABASE_URL=.*\n/gmu, server);
  const model: Readonly<Record<string, string>> = page.includes("ollama") ? {} : { PALIMPSEST_MODEL: "demo" };
  try {
    const folder = path.join(home, path.basename(page, ".md"));
    mkdirSync(folder);
    if (page === "from-letta.md") writeExported(folder);
    const outputs = await run(
      steps.map((step) => ({ ...step, commands: here(step.commands) })),
      folder,
      model,
    );
    for (const [at, { shown }] of steps.entries()) {
      expect(outputs[at]).toMatch(new RegExp(shown.map((line) => escaped(here(line))).join("[\\s\\S]*"), "u"));
    }
  } finally {
    await letta?.close();
    await database?.remove();
  }
});
