// `palimpsest doctor` on the command line: what is printed, what is asked, and the exit code.
import { PassThrough } from "node:stream";
import { terminalFinding } from "../../../src/surfaces/cli/commands/doctor.ts";
import { ConfigError } from "../../../src/base/errors.ts";
import type { LockReport } from "../../../src/runtime/doctor/contract.ts";
import { createFakeDoctor, wellFinding } from "../../support/fake-doctor.ts";
import { runInWorld } from "../../support/fake-world.ts";

const broken = { check: "lock", verdict: "failed", found: "Held.", advice: "Free it." } as const;
const doubtful = { check: "disk", verdict: "warning", found: "Little.", advice: "Free some." } as const;

const run = (argv: readonly string[], doctor = createFakeDoctor(), world = {}) =>
  runInWorld(["doctor", ...argv], { openDoctor: async () => doctor, ...world });

describe("doctor", () => {
  it("prints each finding with its advice, and ends with 0 when nothing failed", async () => {
    const doctor = createFakeDoctor({ report: { findings: [wellFinding, doubtful], repairs: [] } });
    const { stdout, stderr, exitCode, opened } = await run([], doctor);
    expect(stdout).toBe(
      [
        "ok       node      Node 22.0.0.",
        "warning  disk      Little.",
        "                   Free some.",
        "ok       terminal  no terminal: the chat works line by line, no colours, UTF-8.",
        "",
        "3 checks: 2 ok, 1 warning, 0 failed.",
        "",
      ].join("\n"),
    );
    expect({ stderr, exitCode, opened }).toEqual({ stderr: "", exitCode: 0, opened: undefined });
    expect(doctor.calls).toEqual([["examine", { online: false, repair: false }], ["close"]]);
  });

  it("ends with 1 when something failed", async () => {
    const doctor = createFakeDoctor({ report: { findings: [wellFinding, broken], repairs: [] } });
    expect((await run([], doctor)).exitCode).toBe(1);
  });

  it("passes --online and --repair on, and prints the repairs", async () => {
    const doctor = createFakeDoctor({ report: { findings: [], repairs: ["Mended it."] } });
    const { stdout } = await run(["--online", "--repair"], doctor);
    expect(stdout.startsWith("Mended it.\n")).toBe(true);
    expect(doctor.calls[0]).toEqual(["examine", { online: true, repair: true }]);
  });

  it("prints JSON", async () => {
    const doctor = createFakeDoctor({ report: { findings: [broken], repairs: ["Mended it."] } });
    const { stdout, exitCode } = await run(["--json"], doctor);
    expect(JSON.parse(stdout)).toEqual({
      findings: [broken, expect.objectContaining({ check: "terminal", verdict: "ok", advice: null })],
      repairs: ["Mended it."],
    });
    expect(exitCode).toBe(1);
  });

  it.each<readonly [object, object, string, RegExp | null]>([
    [{ hasUtf8: false }, {}, "no UTF-8", /Set LANG/u],
    [{}, { columns: 30, rows: 24 }, "30 columns and 24 rows", /wider.*40 columns/u],
    [{}, { columns: 80, rows: 5 }, "80 columns and 5 rows", /higher.*10 rows/u],
    [{ terminalName: "dumb" }, { columns: 80, rows: 24 }, "TERM=dumb", /xterm-256color/u],
    [{ terminalName: "xterm", hasColor: true }, { getColorDepth: () => 8 }, "TERM=xterm, 256 colours", null],
    [{ hasColor: true }, { getColorDepth: () => 24 }, "16 million colours", null],
    [{ hasColor: true }, { getColorDepth: () => 4 }, "16 colours", null],
    [{ hasColor: true }, {}, "no terminal: the chat works line by line, colours", null],
  ])("reports a terminal of %j and %j", (world, stream, found, advice) => {
    const terminal = { isTerminal: false, hasColor: false, hasUtf8: true, terminalName: null, ...world };
    const finding = terminalFinding({ ...terminal, stdout: Object.assign(new PassThrough(), stream) });
    expect(finding).toMatchObject({ check: "terminal", verdict: advice === null ? "ok" : "warning" });
    expect(finding.found).toContain(found);
    expect(finding.advice ?? "nothing").toMatch(advice ?? /^nothing$/u);
  });

  it("wraps its lines between words at the width of the terminal", async () => {
    const found = "One two three four five six seven eight nine ten eleven twelve.";
    const doctor = createFakeDoctor({ report: { findings: [{ ...doubtful, found }], repairs: [] } });
    const written: string[] = [];
    const stdout = Object.assign(new PassThrough(), { columns: 60 });
    stdout.on("data", (chunk: Buffer) => written.push(chunk.toString()));
    await run([], doctor, { stdout });
    const lines = written.join("").split("\n");
    expect(lines.slice(0, 3)).toEqual([
      "warning  disk      One two three four five six seven eight",
      "                   nine ten eleven twelve.",
      "                   Free some.",
    ]);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(60);
  });

  it("reports an unreadable configuration as a finding, except with --unlock", async () => {
    const openDoctor = async () => Promise.reject(new ConfigError("model: expected something else."));
    const { stdout, exitCode } = await runInWorld(["doctor", "--json"], { openDoctor });
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      findings: [{ check: "configuration", verdict: "failed", found: "model: expected something else." }, {}],
    });
    expect((await runInWorld(["doctor", "--unlock"], { openDoctor })).exitCode).toBe(2);
  });
});

const removable: LockReport = { kind: "removable", finding: { ...broken, found: "Held by elsewhere." } };

describe("doctor --unlock", () => {
  it("explains its effect, and acts only with --yes", async () => {
    const doctor = createFakeDoctor({ lock: removable });
    const { stderr, exitCode } = await run(["--unlock"], doctor);
    expect(stderr).toMatch(/Held by elsewhere\. Removing the lock lets another.*add --yes/u);
    expect(exitCode).toBe(2);
    expect(doctor.calls).toEqual([["close"]]);
  });

  it("removes the lock with --yes", async () => {
    const doctor = createFakeDoctor({ lock: removable });
    const { stdout, exitCode } = await run(["--unlock", "--yes"], doctor);
    expect(stdout).toContain("Removed the lock.");
    expect(exitCode).toBe(0);
    expect(doctor.calls).toEqual([["unlock"], ["close"]]);
  });

  it.each([
    ["y\n", [["unlock"], ["close"]], "Removed the lock."],
    ["YES\n", [["unlock"], ["close"]], "Removed the lock."],
    ["n\n", [["close"]], "Nothing was changed."],
    ["\n", [["close"]], "Nothing was changed."],
    ["yellow\n", [["close"]], "Nothing was changed."],
  ])("asks on a terminal, and accepts %j as an answer", async (input, calls, text) => {
    const doctor = createFakeDoctor({ lock: removable });
    const { stdout, stderr } = await run(["--unlock"], doctor, { isTerminal: true, input });
    expect(stderr).toContain("Held by elsewhere.");
    expect(stderr).toContain("[y/N]");
    expect(stdout).toContain(text);
    expect(doctor.calls).toEqual(calls);
  });

  it("does not remove a held lock, whatever the answer", async () => {
    const doctor = createFakeDoctor({ lock: { kind: "held", finding: broken } });
    const { stderr, exitCode } = await run(["--unlock", "--yes"], doctor);
    expect(stderr).toBe("palimpsest: Held. Free it. The lock was not changed.\n");
    expect(exitCode).toBe(1);
    expect(doctor.calls).toEqual([["close"]]);
  });

  it("reports that there is none", async () => {
    const { stdout, exitCode } = await run(["--unlock", "--json"]);
    expect({ stdout, exitCode }).toEqual({ stdout: '{"removed":false}\n', exitCode: 0 });
  });

  it("cannot be combined with other flags", async () => {
    expect((await run(["--unlock", "--repair"])).exitCode).toBe(2);
  });
});
