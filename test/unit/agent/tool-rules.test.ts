// What the rules of an agent decide, from the calls of a turn alone.
import fc from "fast-check";
import type { ToolRule } from "../../../src/config/settings/tool-rule.ts";
import {
  applicableRules,
  endByRules,
  needsCall,
  refusalByRule,
  type RuledCall,
} from "../../../src/agent/rules/tool-rules.ts";

const names = ["a", "b", "c", "d"] as const;
const name = fc.constantFrom(...names);
const children = fc.array(name, { minLength: 1, maxLength: 3 });
const results = ["yes", "no", " yes\n", ""];

const anyRule: fc.Arbitrary<ToolRule> = fc.oneof(
  fc.record({ type: fc.constant("run-first" as const), tool: name }),
  fc.record({ type: fc.constant("exit-loop" as const), tool: name }),
  fc.record({ type: fc.constant("continue-loop" as const), tool: name }),
  fc.record({ type: fc.constant("constrain-child-tools" as const), tool: name, children }),
  fc.record({
    type: fc.constant("conditional" as const),
    tool: name,
    children: fc.dictionary(fc.constantFrom("yes", "no"), name),
    otherwise: fc.option(name, { nil: undefined }),
  }),
  fc.record({ type: fc.constant("max-count-per-turn" as const), tool: name, count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ type: fc.constant("parent-last-tool" as const), tool: name, children }),
  fc.record({ type: fc.constant("required-before-exit" as const), tool: name }),
  fc.record({ type: fc.constant("requires-approval" as const), tool: name }),
);
const anyRules = fc.array(anyRule, { maxLength: 6 });
const anyCalls: fc.Arbitrary<readonly RuledCall[]> = fc.array(
  fc.record({ name, result: fc.constantFrom(...results) }),
  { maxLength: 6 },
);

/** The calls of a turn in which whatever is refused does not run. */
function run(rules: readonly ToolRule[], tried: readonly RuledCall[]): readonly RuledCall[] {
  const done: RuledCall[] = [];
  for (const call of tried) if (refusalByRule(rules, done, call.name) === null) done.push(call);
  return done;
}

describe("a turn in which refused calls do not run keeps every rule", () => {
  const holds = (check: (rules: readonly ToolRule[], calls: readonly RuledCall[]) => boolean): void =>
    fc.assert(fc.property(anyRules, anyCalls, (rules, tried) => check(rules, run(rules, tried))));
  const rulesOf = <Type extends ToolRule["type"]>(rules: readonly ToolRule[], type: Type) =>
    rules.filter((rule): rule is Extract<ToolRule, { type: Type }> => rule.type === type);

  test("the first call has the rule run-first, if any tool has it", () =>
    holds((rules, [first]) => {
      const firsts = rulesOf(rules, "run-first");
      return first === undefined || firsts.length === 0 || firsts.some(({ tool }) => tool === first.name);
    }));

  test("after a tool with children, only these", () =>
    holds((rules, calls) =>
      calls.every((call, at) =>
        rulesOf(rules, "constrain-child-tools")
          .filter(({ tool }) => tool === calls[at - 1]?.name)
          .every((rule) => rule.children.includes(call.name)),
      ),
    ));

  test("after a result that a condition names, only its child", () =>
    holds((rules, calls) =>
      calls.every((call, at) =>
        rulesOf(rules, "conditional")
          .filter(({ tool }) => tool === calls[at - 1]?.name)
          .every((rule) => {
            const child = rule.children[calls[at - 1]!.result.trim()] ?? rule.otherwise;
            return child === undefined || child === call.name;
          }),
      ),
    ));

  test("no tool more often than its maximum", () =>
    holds((rules, calls) =>
      rulesOf(rules, "max-count-per-turn").every(
        ({ tool, count }) => calls.filter((call) => call.name === tool).length <= count,
      ),
    ));

  test("a child only directly after one of its parents", () =>
    holds((rules, calls) =>
      calls.every((call, at) => {
        const parents = rulesOf(rules, "parent-last-tool").filter((rule) => rule.children.includes(call.name));
        return parents.length === 0 || parents.some(({ tool }) => tool === calls[at - 1]?.name);
      }),
    ));
});

test("without rules, everything may be called and nothing changes", () =>
  fc.assert(
    fc.property(anyCalls, name, (calls, next) => {
      expect(refusalByRule([], calls, next)).toBeNull();
      expect(endByRules([], calls, [next])).toEqual({ exits: false, continues: false, missing: [] });
      expect(needsCall([], calls)).toBe(false);
    }),
  ));

test("a refusal names its rule, and a rule of the agent", () =>
  fc.assert(
    fc.property(anyRules, anyCalls, name, (rules, calls, next) => {
      const refusal = refusalByRule(rules, calls, next);
      const named = refusal === null ? undefined : /\(rule ([\w-]+)\)$/u.exec(refusal)?.[1];
      expect(refusal === null || rules.some(({ type }) => type === named)).toBe(true);
    }),
  ));

test("a turn never exits and continues by rule, and exits only without a missing tool", () =>
  fc.assert(
    fc.property(anyRules, anyCalls, (rules, calls) => {
      const latest = calls.slice(-2).map((call) => call.name);
      const { exits, continues, missing } = endByRules(rules, calls, latest);
      expect(exits && continues).toBe(false);
      expect(exits && missing.length > 0).toBe(false);
      expect(missing.filter((tool) => calls.some((call) => call.name === tool))).toEqual([]);
    }),
  ));

test("rules about tools that the agent lacks do not apply", () => {
  const rules: readonly ToolRule[] = [
    { type: "run-first", tool: "gone" },
    { type: "required-before-exit", tool: "a" },
  ];
  expect(applicableRules(rules, names)).toEqual([{ type: "required-before-exit", tool: "a" }]);
});

test.each<readonly [string, readonly ToolRule[], readonly [readonly RuledCall[], string], RegExp]>([
  ["run-first", [{ type: "run-first", tool: "a" }], [[], "b"], /must be of a \(rule run-first\)/u],
  [
    "children",
    [{ type: "constrain-child-tools", tool: "a", children: ["b", "c"] }],
    [[{ name: "a", result: "" }], "d"],
    /after a, only b or c may be called/u,
  ],
  [
    "a condition",
    [{ type: "conditional", tool: "a", children: { yes: "b" }, otherwise: "c" }],
    [[{ name: "a", result: "no" }], "b"],
    /after a, only c may be called \(rule conditional\)/u,
  ],
  [
    "a maximum",
    [{ type: "max-count-per-turn", tool: "a", count: 1 }],
    [[{ name: "a", result: "" }], "a"],
    /once in a turn/u,
  ],
  ["a parent", [{ type: "parent-last-tool", tool: "a", children: ["b"] }], [[], "b"], /only directly after a/u],
])("%s refuses with a text for the model", (_rule, rules, [calls, next], text) => {
  expect(refusalByRule(rules, calls, next)).toMatch(text);
});
