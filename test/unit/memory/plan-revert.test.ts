// Which revisions take edits back, and when later edits are in the way. Pure: revisions in, changes out.
import { DependentEditsError } from "../../../src/base/errors.ts";
import { planRevert, editsInForce, type RevertRequest } from "../../../src/memory/core/plan-revert.ts";
import type { RevisionRecord } from "../../../src/store/port/records.ts";
import { revision as oneRevision } from "../../support/fake-agent.ts";

/** Revisions 1, 2, … of a module whose values are `values`; `undoes` by number of revision. Newest first. */
function history(
  label: string,
  values: readonly string[],
  change: Readonly<Record<number, Partial<RevisionRecord>>> = {},
): readonly RevisionRecord[] {
  const oldestFirst = values.map((after, index) =>
    oneRevision({ label, revision: index + 1, before: values[index - 1] ?? "", after, ...change[index + 1] }),
  );
  return oldestFirst.toReversed();
}

const request = (revisions: readonly number[], change: Partial<RevertRequest> = {}): RevertRequest => ({
  isSelected: ({ revision }) => revisions.includes(revision),
  moduleOf: () => ({ scope: "user", limit: 100 }),
  later: "refuse",
  ...change,
});

/** The value that the changes leave, each checked to be made from what the one before left. */
function valueAfter(revisions: readonly RevisionRecord[], changes: ReturnType<typeof planRevert>["changes"]): string {
  let { after: value, revision } = revisions[0]!;
  for (const change of changes) {
    expect(change).toMatchObject({ before: value, revision });
    value = change.after;
    revision += 1;
  }
  return value;
}

test("revisions are in the order of their numbers, whatever their times are", () => {
  const revisions = history("human", ["a", "a\nb", "a\nb"]);
  const [newest, edit, first] = revisions;
  const { changes } = planRevert([edit!, newest!, first!], request([2]));
  expect(valueAfter(revisions, changes)).toBe("a");
});

test("the newest edits are reverted one by one, newest first, each by a revision that names it", () => {
  const revisions = history("human", ["a", "ab", "abc"], { 2: { trust: "external" } });
  const { changes, edits } = planRevert(revisions, request([2, 3]));
  expect(changes).toEqual([
    {
      label: "human",
      scope: "user",
      revision: 3,
      before: "abc",
      after: "ab",
      undoes: 3,
      trust: "external",
      lineTrust: null,
      written: "external",
      external: [],
    },
    {
      label: "human",
      scope: "user",
      revision: 4,
      before: "ab",
      after: "a",
      undoes: 2,
      trust: "model",
      lineTrust: null,
      written: "model",
      external: [],
    },
  ]);
  expect(edits.map(({ revision }) => revision)).toEqual([3, 2]);
});

test("nothing is planned for edits that were already reverted, nor for none", () => {
  const revisions = history("human", ["a", ""], { 2: { undoes: 1 } });
  expect(planRevert(revisions, request([1]))).toEqual({ changes: [], edits: [] });
  expect(planRevert([], request([1]))).toEqual({ changes: [], edits: [] });
});

test("a dependent edit is named, with its module, and nothing is planned", () => {
  const revisions = [...history("persona", ["p"]), ...history("human", ["a", "ab", "abc", "abcd"])];
  const refused = (): unknown =>
    planRevert(
      revisions,
      request([1, 3], { isSelected: ({ label, revision }) => label === "human" && [1, 3].includes(revision) }),
    );
  expect(refused).toThrow(DependentEditsError);
  expect(refused).toThrow(/revisions 1, 3 of "human" \(needed by revisions 2, 4\)/u);
  expect(refused).toThrow(
    expect.objectContaining({ code: "dependent_edits", edits: [{ label: "human", revisions: [1, 3], later: [2, 4] }] }),
  );
});

test("a dependent edit that was reverted since does not prevent it", () => {
  const revisions = history("human", ["a", "ab", "a"], { 3: { undoes: 2 } });
  const { changes } = planRevert(revisions, request([1]));
  expect(changes).toMatchObject([{ revision: 3, before: "a", after: "", undoes: 1 }]);
});

test("forced, dependent edits are reverted as well, and the module has its earlier value", () => {
  const revisions = history("human", ["a", "ab", "abc"]);
  const { changes, edits } = planRevert(revisions, request([2], { later: "revert" }));
  expect(changes.map(({ undoes }) => undoes)).toEqual([3, 2]);
  expect(edits.map(({ revision }) => revision)).toEqual([3, 2]);
  expect(valueAfter(revisions, changes)).toBe("a");
});

test("a restored text has its earlier class, and the lowest if that is unknown", () => {
  const whole = history("human", ["a", "ab"], { 1: { trust: "external" } });
  const trustOf = (revisions: readonly RevisionRecord[], numbers: readonly number[]) =>
    planRevert(revisions, request(numbers)).changes.map(({ trust }) => trust);
  expect(trustOf(whole, [1, 2])).toEqual(["external", "user"]);
  expect(trustOf(whole.slice(0, 1), [2])).toEqual(["external"]);
});

test("a line from before revision 1 is the user's, or external if the revision is an import", () => {
  const edited = (change: Partial<RevisionRecord>) => {
    const revisions = history("human", ["B", "C"], { 1: { before: "A\nmail", ...change } });
    return planRevert(revisions, request([1, 2])).changes.at(-1);
  };
  expect(edited({ trust: "external" })).toMatchObject({ after: "A\nmail", trust: "user" });
  const imported = { origin: "import", trust: "external" } as const;
  expect(edited(imported)).toMatchObject({ after: "A\nmail", trust: "external" });
});

test("modules are planned independently", () => {
  const revisions = [...history("persona", ["p", "pq"]), ...history("human", ["a"])];
  const { changes } = planRevert(
    revisions,
    request([1], {
      isSelected: ({ label }) => label === "human",
      moduleOf: (label) => ({ scope: label === "human" ? "user" : "agent", limit: 100 }),
    }),
  );
  expect(changes).toMatchObject([{ label: "human", scope: "user", undoes: 1 }]);
});

describe("by lines", () => {
  const after = (
    values: readonly string[],
    numbers: readonly number[],
    change: Partial<RevertRequest> = {},
  ): string => {
    const revisions = history("human", values);
    return valueAfter(revisions, planRevert(revisions, request(numbers, change)).changes);
  };

  test.each([
    ["an added line goes, and later ones stay", ["A", "A\nB", "A\nB\nC"], [2], "A\nC"],
    ["the first text goes, and a later line stays", ["A", "A\nB"], [1], "B"],
    ["a replaced line returns to its place", ["A\nB\nC", "A\nX\nC", "A\nX\nY\nC\nD"], [2], "A\nB\nY\nC\nD"],
    ["a removed line returns after the line that it followed", ["A\nB\nC", "A\nC", "Z\nA\nC"], [2], "Z\nA\nB\nC"],
    ["what followed a line that is gone returns before it", ["A\nB\nC", "A\nC", "C"], [2], "B\nC"],
    ["two of three edits go", ["A", "A\nB", "A\nB\nC", "A\nB\nC\nD"], [2, 4], "A\nC"],
    ["a line that a later edit only moved goes", ["A\nB", "A\nB\nC", "C\nB\nA\nD"], [2], "B\nA\nD"],
    ["the newest edit leaves the exact text, also if it moved lines", ["A\nB\n\nA", "A\n\nA\nB\n"], [2], "A\nB\n\nA"],
    ["a blank line that a later edit removed is not missed", ["A", "A\n\nB", "A\nB"], [2], "A"],
  ])("%s", (_, values, numbers, expected) => {
    expect(after(values, numbers)).toBe(expected);
  });

  test("only the edits that changed a written line are in the way, and those that depend on them", () => {
    const values = ["A", "A\nB", "A\nB\nC", "A\nB2\nC", "A\nB2\nC\nD", "A\nB3\nC\nD"];
    const refused = () => after(values, [2]);
    expect(refused).toThrow(expect.objectContaining({ edits: [{ label: "human", revisions: [2], later: [4, 6] }] }));
    expect(after(values, [2], { later: "revert" })).toBe("A\nC\nD");
  });

  test("a line that was restored is the line that its first edit wrote", () => {
    const revisions = history("human", ["A", "A\nB", "A", "A\nB", "A\nB\nC"], { 4: { undoes: 3 } });
    expect(valueAfter(revisions, planRevert(revisions, request([2])).changes)).toBe("A\nC");
  });

  test("a JSON object is one text", () => {
    const values = ['{\n  "a": 1\n}', '{\n  "a": 1,\n  "b": 2\n}', '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}'];
    expect(() => after(values, [2])).toThrow(DependentEditsError);
  });

  test("each line keeps its class, and a restored one has that of before its removal", () => {
    const revisions = history("human", ["A\nmail", "mail", "mail\nB"], {
      1: { trust: "external", lineTrust: ["user", "external"] },
      2: { trust: "user", lineTrust: ["external"] },
      3: { trust: "model", lineTrust: ["external", "model"] },
    });
    expect(planRevert(revisions, request([2])).changes).toMatchObject([
      { after: "A\nmail\nB", trust: "external", lineTrust: ["user", "external", "model"], written: "user" },
    ]);
  });

  test("restored lines that exceed the limit are refused, and a text that was over it may become shorter", () => {
    const long = "x".repeat(90);
    expect(() => after([`${long}\nA`, "A", `A\n${"y".repeat(20)}`], [2])).toThrow(
      expect.objectContaining({
        code: "undo_refused",
        message: expect.stringContaining("113 characters, and its limit is 100"),
      }),
    );
    expect(after(["A", `A\n${long}`, `A\n${long}\n${long}`], [2])).toBe(`A\n${long}`);
  });

  test("for any edits, the lines are those of the edits that stay", () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    let refusals = 0;
    for (let trial = 0; trial < 500; trial += 1) {
      // Each edit replaces some lines by lines of its own, which nothing else has.
      const edits: { readonly gone: readonly string[]; readonly written: readonly string[] }[] = [];
      const values: string[] = [];
      let lines: readonly string[] = [];
      for (let number = 1; number <= 6; number += 1) {
        const from = random(lines.length + 1);
        const gone = lines.slice(from, from + random(3));
        const written = Array.from(
          { length: gone.length === 0 ? 1 + random(2) : random(3) },
          (_, at) => `${number}.${at}`,
        );
        lines = [...lines.slice(0, from), ...written, ...lines.slice(from + gone.length)];
        edits.push({ gone, written });
        values.push(lines.join("\n"));
      }
      const meant = [1, 2, 3, 4, 5, 6].filter(() => random(3) === 0);
      const isMeant = (at: number): boolean => meant.includes(at + 1);
      const isGone = (line: string): boolean => isMeant(Number(line[0]) - 1);
      const isBlocked = edits.some(({ gone }, at) => !isMeant(at) && gone.some(isGone));
      if (isBlocked) {
        refusals += 1;
        expect(() => after(values, meant)).toThrow(DependentEditsError);
        continue;
      }
      const stay = edits.filter((_, at) => !isMeant(at));
      const lost = new Set(stay.flatMap(({ gone }) => gone));
      const expected = stay.flatMap(({ written }) => written).filter((line) => !lost.has(line));
      const shown = after(values, meant)
        .split("\n")
        .filter((line) => line !== "");
      expect(shown.toSorted()).toEqual(expected.toSorted());
      expect(shown.filter((line) => lines.includes(line))).toEqual(lines.filter((line) => expected.includes(line)));
    }
    expect(refusals).toBeGreaterThan(50);
    expect(refusals).toBeLessThan(450);
  });
});

test("after any edits and reverts, the value is that before the oldest reverted edit", () => {
  // Every history of five steps, each an edit or the taking back of the top one.
  for (let pattern = 0; pattern < 2 ** 5; pattern += 1) {
    let revisions: readonly RevisionRecord[] = history("human", ["0"]);
    for (let step = 1; step <= 5; step += 1) {
      const [top] = editsInForce(revisions);
      const [newest] = revisions as readonly [RevisionRecord];
      const takesBack = (pattern & (1 << (step - 1))) !== 0 && top !== undefined;
      const next = takesBack ? { after: top.before, undoes: top.revision } : { after: `${newest.after}${step}` };
      revisions = [oneRevision({ revision: newest.revision + 1, before: newest.after, ...next }), ...revisions];
    }
    const standing = editsInForce(revisions);
    for (const target of standing) {
      const { changes, edits } = planRevert(revisions, request([target.revision], { later: "revert" }));
      expect(valueAfter(revisions, changes)).toBe(target.before);
      expect(edits).toEqual(standing.slice(0, standing.indexOf(target) + 1));
    }
  }
});
