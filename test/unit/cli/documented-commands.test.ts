// Every command of a code block in README.md and docs/ is one that the program has, with its flags and number of words; and
// every configuration there is read.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { packageRoot } from "../../../src/base/package-root.ts";
import { loadConfig } from "../../../src/config/file/load-config.ts";
import { settings } from "../../../src/config/settings.ts";
import { checkCall, findCommand } from "../../../src/surfaces/cli/parse/find-command.ts";
import { parseCommandLine } from "../../../src/surfaces/cli/parse/parse-command-line.ts";

const pages = [
  "README.md",
  ...["docs", "docs/guides"].flatMap((folder) =>
    readdirSync(path.join(packageRoot(), folder))
      .filter((file) => file.endsWith(".md"))
      .map((file) => `${folder}/${file}`),
  ),
];

/** The blocks of the languages, with their pages. */
const blocksOf = (...languages: readonly string[]) =>
  pages.flatMap((page) =>
    [...readFileSync(path.join(packageRoot(), page), "utf8").matchAll(/^ *```(\w+)\n([\s\S]*?)^ *```$/gmu)]
      .filter(([, language = ""]) => languages.includes(language))
      .map(([, , text = ""]) => ({ page, text })),
  );

/** The words of a line of a shell up to a comment, a redirection or the end of the command; without assignments. */
function wordsOf(line: string): readonly string[] {
  const words = [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/gu)].map(([word]) => word);
  const end = words.findIndex((word) => /^(?:#|[|&<>;])/u.test(word));
  const command = words.slice(0, end === -1 ? words.length : end).map((word) => word.replaceAll(/['"]/gu, ""));
  const first = command.findIndex((word) => !/^(?:\$|npx|exec|[A-Z_]+=.*)$/u.test(word));
  return command.slice(Math.max(0, first));
}

const commands = blocksOf("sh", "bash", "console").flatMap(({ page, text }) =>
  text
    .replaceAll("\\\n", " ")
    .split("\n")
    .map(wordsOf)
    .filter(([program]) => program === "palimpsest")
    .map(([, ...argv]) => [page, argv.join(" "), argv] as const),
);

test("pages have commands", () => {
  expect(commands.length).toBeGreaterThan(80);
});

test.each(commands)("%s: palimpsest %s", async (_page, _text, argv) => {
  const line = parseCommandLine(argv);
  checkCall(await findCommand(line.words), line);
});

test("every configuration of a page is read", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-documented-"));
  const configurations = blocksOf("json").filter(({ text }) => {
    const [, first = ""] = /^\s*\{\s*"(\w+)"/u.exec(text) ?? [];
    return Object.hasOwn(settings, first);
  });
  expect(configurations.map(({ page }) => page)).toEqual(
    expect.arrayContaining(["docs/chat.md", "docs/guides/use-ollama.md"]),
  );
  for (const { text } of configurations) {
    const file = path.join(folder, "config.json");
    writeFileSync(file, text, { mode: 0o600 });
    const secrets = [...text.matchAll(/\bsecrets\.(\w+)/gu)].map(([, name = ""]) => [name, "secret"] as const);
    await loadConfig({ file, env: { HOME: folder, ...Object.fromEntries(secrets) } });
  }
  rmSync(folder, { recursive: true });
});
