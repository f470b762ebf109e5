// The line that shows how far a long piece of work is.
import { progressLine, type WorkProgress } from "../../../src/surfaces/cli/format/progress-bar.ts";

const work: WorkProgress = {
  label: "Reading files",
  done: 1234,
  total: 2000,
  share: 0.61,
  elapsedMs: 14_500,
  name: "docs/a.md",
};
const line = (change: Partial<WorkProgress> = {}, columns = 100, hasUtf8 = true) =>
  progressLine({ ...work, ...change }, { columns, hasUtf8 });

it("has a bar, counts, rate, time left and the last item", () => {
  expect(line()).toBe("Reading files [████████████░░░░░░░░] 1,234/2,000  61%  85/s  10 s left  docs/a.md");
  expect(line({}, 100, false)).toContain("[############........]");
  expect(progressLine(work, { columns: undefined, hasUtf8: true })).toBe(
    "Reading files 1,234/2,000  61%  85/s  10 s left  docs/a.md",
  );
});

it.each([
  [{ elapsedMs: 500 }, "61%  docs/a.md"],
  [{ done: 0, share: 0 }, "0/2,000  0%  docs/a.md"],
  [{ done: 2000, share: 1 }, "100%  138/s  docs/a.md"],
  [{ done: 3 }, "0.2/s"],
  [{ share: 0.05 }, "4 min 36 s left"],
  [{ share: 0.001 }, "4 h 1 min left"],
  [{ share: 7 }, "100%"],
  [{ name: "" }, "10 s left"],
])("%j", (change, part) => {
  expect(line(change)).toContain(part);
});

it("cuts the beginning of a long name, and omits a name without room", () => {
  expect(line({ name: `docs/${"deep/".repeat(20)}file.md` })).toMatch(/ {2}…[\w/]*file\.md$/u);
  expect(line({}, 75)).toBe("Reading files [████████████░░░░░░░░] 1,234/2,000  61%  85/s  10 s left");
});

it.each([1, 2, 10, 20, 40, 60, 80, 120, 200])("is never wider than %i columns", (columns) => {
  for (const name of [
    "a".repeat(1e5),
    "字".repeat(500),
    "👩‍👩‍👧‍👦".repeat(100),
    "x\u001b[2J\r\ny",
    "\ud800".repeat(300),
  ]) {
    const shown = line({ name }, columns);
    const width = Array.from(shown).reduce((sum, sign) => sum + (/[ -~█░…]/u.test(sign) ? 1 : 2), 0);
    expect(width).toBeLessThan(Math.max(columns, 2));
    expect(shown).not.toMatch(/\p{Cc}/u);
  }
});
