// The suggested command for an unknown one.
import { commands, nearestCommand, unknownCommand } from "../../src/surfaces/terminal/commands/registry.ts";

const names = commands.map(({ name }) => name);

test.each([
  ["memroy", "memory"],
  ["sumarize", "summarize"],
  ["hepl", "help"],
  ["atach", "attach"],
  ["systemswp", "systemswap"],
  ["quit", "exit"],
  ["q", "exit"],
  ["clear", "new"],
  ["savechat", "save"],
  ["load", "attach"],
  ["sum", "summarize"],
  ["mem", "memory"],
  ["arch", "archival"],
  ["xyzzyq", undefined],
  ["x", undefined],
  ["tostring", undefined],
  ["constructor", undefined],
  ["字", undefined],
])("/%s suggests %s", (typed, expected) => {
  expect(nearestCommand(typed, names)).toBe(expected);
});

test("every suggestion is an existing command", () => {
  for (const typed of ["quit", "clear", "cost", "?", "ask"]) expect(names).toContain(nearestCommand(typed, names));
  expect(nearestCommand("quit", ["help"])).toBeUndefined();
});

test("a huge unknown name is shown in part, without a suggestion", () => {
  const huge = "a".repeat(1e6);
  expect(nearestCommand(huge, names)).toBeUndefined();
  expect(unknownCommand(huge).items).toMatchObject([
    { level: "failure", text: `There is no command /${"a".repeat(40)}….` },
  ]);
  expect(unknownCommand("memroy").items).toMatchObject([
    { text: "There is no command /memroy. Did you mean /memory?" },
  ]);
});
