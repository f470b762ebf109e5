// docs/configuration.md tells every key there is, with what it must be, its names and its default, and no other.
import { readFileSync } from "node:fs";
import path from "node:path";
import { packageRoot } from "../../../src/base/package-root.ts";
import { nestedKeys, sections } from "../../../src/config/nested-keys.ts";
import { isConfigKey, settings } from "../../../src/config/settings.ts";

const text = readFileSync(path.join(packageRoot(), "docs", "configuration.md"), "utf8");

/** The rows of the table under a heading, without its head. */
function rowsUnder(heading: string): readonly (readonly string[])[] {
  const [, part = ""] = text.split(`\n## ${heading}\n`);
  const [own = ""] = part.split("\n## ");
  const lines = own.split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/u)
      .map((cell) => cell.trim().replaceAll("\\|", "|")),
  );
}

const code = (value: string): string => `\`${value}\``;

test("the nested keys", () => {
  const rows = [
    ...Object.entries(sections).map(([key, section]) => [
      code(key),
      section.hasSwitch ? "a section, `true` or `false`" : "a section",
      section.settings.map(code).join(", "),
    ]),
    ...Object.entries(nestedKeys).map(([key, rule]) => [code(key), rule.expected, rule.settings.map(code).join(", ")]),
  ];
  expect(rowsUnder("Nested keys")).toEqual(rows.sort(([one = ""], [other = ""]) => (one < other ? -1 : 1)));
});

test("the flat keys", () => {
  const rows = Object.keys(settings)
    .filter(isConfigKey)
    .map((key) => {
      const { expected, flag, environment = [], default: value, defaultText } = settings[key];
      return [
        code(key),
        flag === undefined ? "" : code(`--${flag.name}`),
        environment.map(code).join(", "),
        defaultText ?? defaultOf(value),
        expected,
      ];
    });
  expect(rowsUnder("Flat keys")).toEqual(rows.sort(([one = ""], [other = ""]) => (one < other ? -1 : 1)));
});

function defaultOf(value: unknown): string {
  return value === null ? "" : code(JSON.stringify(value));
}
