// Words and flags, and errors for invalid ones.
import { parseCommandLine } from "../../../src/surfaces/cli/parse/parse-command-line.ts";

describe("parseCommandLine", () => {
  it("sorts words, texts and switches, in any order", () => {
    const line = parseCommandLine([
      "-a",
      "scout",
      "memory",
      "--json",
      "set",
      "--model=demo",
      "human",
      "Ada likes tea",
      "-c",
    ]);
    expect(line.words).toEqual(["memory", "set", "human", "Ada likes tea"]);
    expect(line.texts).toEqual({ agent: "scout", model: "demo" });
    expect([...line.switches]).toEqual(["json", "continue"]);
    expect([...line.given].sort()).toEqual(["agent", "continue", "json", "model"]);
  });

  it("accepts short flags with an attached value, and uses the last of several", () => {
    expect(parseCommandLine(["-ascout", "-mdemo", "-a", "other"]).texts).toEqual({ agent: "other", model: "demo" });
  });

  it("treats everything after -- as words", () => {
    expect(parseCommandLine(["memory", "set", "human", "--", "--not a flag"]).words).toEqual([
      "memory",
      "set",
      "human",
      "--not a flag",
    ]);
  });

  it("accepts - as a value, and an empty text only for -p", () => {
    expect(parseCommandLine(["-p", "-"]).texts.prompt).toBe("-");
    expect(parseCommandLine(["-p", ""]).texts.prompt).toBe("");
  });

  it("accepts a value that looks like a flag if it is written with =", () => {
    expect(parseCommandLine(["--prompt=-1 degrees"]).texts.prompt).toBe("-1 degrees");
  });

  it.each([
    [["--modle", "demo"], /Unknown flag --modle\. Did you mean --model\?/u],
    [["-x"], /Unknown flag -x\. `palimpsest --help`/u],
    [["--frobnicate"], /Unknown flag --frobnicate/u],
    [["-p"], /-p needs a value: -p TEXT/u],
    [["--model"], /--model needs a value: --model MODEL/u],
    [["--agent", "--json"], /--agent needs a value, and "--json" looks like a flag.*--agent="--json"/u],
    [["--agent", ""], /--agent needs a non-empty value/u],
    [["--json=yes"], /--json takes no value/u],
  ])("refuses %j", (argv, message) => {
    expect(() => parseCommandLine(argv)).toThrow(message);
  });
});
