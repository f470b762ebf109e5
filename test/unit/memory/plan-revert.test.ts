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

function request(revisions: readonly number[], change: Partial<RevertRequest> = {}): RevertRequest {
  return {
    isSelected: ({ revision }) => revisions.includes(revision),
    scopeOf: () => "user",
    later: "refuse",
    ...change,
  };
}

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
    expect.objectContaining({
      code: "dependent_edits",
      edits: [{ label: "human", revisions: [1, 3], later: [2, 4] }],
    }),
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

test("modules are planned independently", () => {
  const revisions = [...history("persona", ["p", "pq"]), ...history("human", ["a"])];
  const { changes } = planRevert(
    revisions,
    request([1], {
      isSelected: ({ label }) => label === "human",
      scopeOf: (label) => (label === "human" ? "user" : "agent"),
    }),
  );
  expect(changes).toMatchObject([{ label: "human", scope: "user", undoes: 1 }]);
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
