// Errors in the words of each surface: options and functions in the library, flags and commands elsewhere.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { packageRoot } from "../../src/base/package-root.ts";
import { allCommands } from "../../src/surfaces/cli/commands.ts";
import { contracts } from "../../src/runtime/contracts.ts";
import { listedWords, surfaceText, wordsOf } from "../../src/surfaces/surface-words.ts";
import { commands as slashCommands } from "../../src/surfaces/terminal/commands/registry.ts";

test.each([
  ["`runtime.sources.list()` lists them.", "`npx palimpsest sources list` lists them.", "/attach lists them."],
  [
    '`runtime.conversations.list("ada")` lists them.',
    "`npx palimpsest conversations list -a ada` lists them.",
    "/resume lists them.",
  ],
  [
    '`runtime.agents.accept("ben/the cook")` accepts it.',
    "`npx palimpsest agents accept 'ben/the cook'` accepts it.",
    "`npx palimpsest agents accept 'ben/the cook'` accepts it.",
  ],
  ["`runtime.conversations.list()`", "`npx palimpsest conversations list`", "/resume"],
  ["Choose another `model`.", "Choose another --model.", "Choose another model with /model."],
  [
    "Set `openaiApiKey`.",
    "Set OPENAI_API_KEY (or run `npx palimpsest configure`).",
    "Set OPENAI_API_KEY (or run `npx palimpsest configure`).",
  ],
  ["Set `migrationUrl`.", "Set PALIMPSEST_MIGRATION_URL.", "Set PALIMPSEST_MIGRATION_URL."],
  [
    "Remove it: `/data/server-lock-3.json`.",
    "Remove it: `npx palimpsest doctor --unlock`.",
    "Remove it: `npx palimpsest doctor --unlock`.",
  ],
  ["Call `fetch()` or `npm test`.", "Call `fetch()` or `npm test`.", "Call `fetch()` or `npm test`."],
])("%s", (text, commandLine, chat) => {
  expect(surfaceText(text, "command-line", "npx palimpsest")).toBe(commandLine);
  expect(surfaceText(text, "chat", "npx palimpsest")).toBe(chat);
});

test.each([
  [
    'It refused the key (401). Set `openaiApiKey` to a valid key that may use "tiny".',
    'It refused the key (401). Type a valid key that may use "tiny".',
  ],
  [
    "openai/x needs a key: set `openaiApiKey`, or choose another `model`.",
    "openai/x needs a key: type it, or choose another --model.",
  ],
  ["Set `anthropicApiKey`.", "Type it."],
  ["`runtime.sources.list()`", "`npx palimpsest sources list`"],
])("in the questions of configure: %s", (text, expected) => {
  expect(surfaceText(text, "configure", "npx palimpsest")).toBe(expected);
});

const commands = await allCommands();

const operations = Object.entries(contracts).flatMap(([group, contract]) =>
  Object.keys(contract).map((name) => `runtime.${group}.${name}`),
);

const named = [...operations, ...Object.keys(listedWords)].flatMap((call) => {
  const words = wordsOf(call);
  return words === undefined ? [] : [words.commandLine, words.chat ?? words.commandLine];
});

test("every command that replaces a call exists", () => {
  const known = commands.map(({ words }) => `${words.join(" ")} `);
  const slash = slashCommands.map(({ name }) => `/${name} `);
  for (const text of named) {
    expect(
      [...known, ...slash].some((command) => `${text} `.startsWith(command)) ? text : `${text} does not exist`,
    ).toBe(text);
  }
});

/** Folders and files whose texts are for the command line or a server only, or are arguments of another program. */
const forCommands =
  /^src\/(?:surfaces\/(?:cli|terminal|http|inspector|eval)|config|runtime\/doctor|store\/inspection)\/|^src\/surfaces\/surface-words\.ts|^src\/runtime\/compose\/(?:choice-changes|list-embedders|open-trial)\.ts|(?:isolated-command|serve-process|confined-process)\.ts$|-identity\.ts$|-provider\.ts$|model-profile\.ts$/u;

const root = packageRoot();
const lines = ["src", "tools"].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `${folder}/${file}`)
    .filter((file) => !forCommands.test(file))
    .flatMap((file) =>
      readFileSync(path.join(root, file), "utf8")
        .split("\n")
        .map((line, index) => ({ place: `${file}:${index + 1}`, line: line.trim() }))
        .filter(({ line }) => !/^(?:\/\/|\/\*|\*)/u.test(line)),
    ),
);

test.each([
  ["a command", /`palimpsest [a-z]/u],
  ["a flag", /[\s("'`:]--[a-z]/u],
  ["a variable", /\b(?:PALIMPSEST_[A-Z_]+|[A-Z]+_API_KEY|DATABASE_URL)\b/u],
  ["npm run", /[Rr]un npm/u],
])("no text of the library names %s", (_kind, pattern) => {
  expect(lines.length).toBeGreaterThan(10_000);
  expect(lines.filter(({ line }) => pattern.test(line) && /["'`]/u.test(line))).toEqual([]);
});

test("every call that a text of the library names has words for the command line", () => {
  const calls = lines.flatMap(({ place, line }) =>
    [...line.matchAll(/`((?:runtime|agent)\.[\w.]+)\(/gu)].map(([, call = ""]) => ({ place, call })),
  );
  expect(calls.length).toBeGreaterThan(20);
  const known = new Set([...operations, ...Object.keys(listedWords)]);
  expect(calls.filter(({ call }) => !known.has(call) || wordsOf(call) === undefined)).toEqual([]);
});
