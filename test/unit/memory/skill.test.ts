// The text of a skill: what is read from its front matter, what is refused, and what a rewrite keeps.
import { readSkill, skillFault, skillText } from "../../../src/memory/core/skill.ts";

const described = (lines: string) => readSkill(`---\nname: a\n${lines}\n---\nBody\n`).description;

test.each([
  ["description: Plain text: with # no comment#", "Plain text: with"],
  ["description: 'It''s #1'", "It's #1"],
  ['description: "A \\"b\\"\\n c"', 'A "b" c'],
  ['description: "\\x"', "\\x"],
  ["description: >-\n  Folded\n  lines", "Folded lines"],
  ["description: |\n  Kept # here\n\n  lines\nlicense: MIT", "Kept # here lines"],
  ["description: Goes\n  on", "Goes on"],
  ["description:Glued", "Glued"],
  ["metadata:\n  description: Nested", ""],
  ["# description: Commented", ""],
  ["description:\tAfter a tab\t", "After a tab"],
  ["description: Goes\n\ton", "Goes on"],
  ["description: Use it when: always", "Use it when: always"],
  ["description: **Always** use it", "**Always** use it"],
  ["description: [draft] of a skill", "[draft] of a skill"],
  ["description: -5 degrees", "-5 degrees"],
])("reads %j", (lines, expected) => {
  expect(described(lines)).toBe(expected);
});

test("reads Windows line ends and a byte order mark, and text without an end of the front matter as a body", () => {
  expect(readSkill("\uFEFF---\r\nname: a\r\ndescription: B\r\n---\r\nBody")).toMatchObject({
    name: "a",
    description: "B",
  });
  expect(readSkill("---\nname: a\nBody")).toMatchObject({ name: null, entries: null, body: "---\nname: a\nBody" });
});

const text = (name: string, description = "B") => `---\nname: ${name}\ndescription: ${description}\n---\n`;

test.each(["a", "a1-b2", "a".repeat(64)])("accepts the name %s", (name) => {
  expect(skillFault(name, text(name))).toBeNull();
});

test.each(["", "A", "a--b", "-a", "a-", "a_b", "..", "a/b", "é", "a".repeat(65), "a\n"])(
  "refuses the name %j",
  (name) => {
    expect(skillFault(name, text(name))).toMatch(/^expected a name of 1 to 64/u);
  },
);

test.each(["[one, two]", "\n  - one\n  - two", "{short: one}", "*other", "&one One", "&one", "!!str One"])(
  "refuses %j as a description",
  (value) => {
    const front = `---\nother: &other Text\nname: a\ndescription: ${value}\n---\n`;
    expect(skillFault("a", front)).toMatch(/^expected a text as `description` in its front matter, got a list/u);
    expect(readSkill(front).description).toBe("");
  },
);

test("refuses a name that is no text, front matter without an end, and a list that is not indented", () => {
  expect(skillFault("a", "---\nname: [a]\ndescription: B\n---\n")).toContain("expected a text as `name`");
  expect(skillFault("a", "---\nname: a\ndescription: B\n")).toContain("front matter");
  expect(skillFault("a", "---\nname: a\ndescription:\n- one\n---\n")).toContain("got 0");
});

test.each([
  ["lines", "license: MIT\n".repeat(80_000)],
  ["a line", `license: ${"x # ".repeat(260_000)}`],
  ["a quoted text", `license: "${'\\"'.repeat(500_000)}"`],
  ["brackets", `license: ${"[".repeat(1_000_000)}`],
  ["a continued text", `license: x\n${"  y\n".repeat(250_000)}`],
])("reads front matter with a megabyte of %s, and refuses it as too long", (_, lines) => {
  const long = `---\nname: a\n${lines}\ndescription: B\n---\nBody`;
  expect(readSkill(long)).toMatchObject({ name: "a", description: "B", body: "Body" });
  expect(skillFault("a", long)).toMatch(/^expected at most 40000 characters/u);
});

test("counts code points, and refuses a description that is too long or missing, or another name", () => {
  const full = `${text("a")}${"😀".repeat(40_000 - text("a").length)}`;
  expect(skillFault("a", full)).toBeNull();
  expect(skillFault("a", `${full}x`)).toBe("expected at most 40000 characters, got 40001");
  expect(skillFault("a", text("a", "😀".repeat(1024)))).toBeNull();
  expect(skillFault("a", text("a", "x".repeat(1025)))).toContain("got 1025");
  expect(skillFault("a", text("b"))).toBe('expected the name "a" in its front matter, got "b"');
  expect(skillFault("a", "Body")).toContain("front matter");
});

test("keeps other entries as they are written, and writes a description that is read as it was given", () => {
  const before = "---\nname: a\nmetadata:\n  by: 'ada'\n# note\ndescription: Old\nlicense: MIT\n---\nOld body";
  for (const description of [
    "Plain",
    "With: colon",
    "# mark",
    '"quoted" text',
    "- list",
    "ends:",
    "two\nlines",
    "a #b",
  ]) {
    const skill = skillText("a", { description, body: "\n New \n" }, before);
    expect(readSkill(skill).description).toBe(description.replace("\n", " "));
    expect(skill).toContain("metadata:\n  by: 'ada'\n# note\nlicense: MIT\n---\n\nNew\n");
    expect(skillFault("a", skill)).toBeNull();
  }
});
