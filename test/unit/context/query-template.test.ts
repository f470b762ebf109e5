// Where the question goes in a template, and which templates there cannot be.
import { fillQueryTemplate } from "../../../src/context/conversation-history.ts";
import { RequestError } from "../../../src/base/errors.ts";

test.each([
  ["{{#sys.query#}}", "Where?", "Where?"],
  ["Answer: {{#sys.query#}} (again: {{#sys.query#}})", "Where?", "Answer: Where? (again: Where?)"],
  ["Q: {{#sys.query#}}", "{{#sys.query#}} $& $1", "Q: {{#sys.query#}} $& $1"],
  ["{{ name }} {{#sys.query#}}", "東京\u0000\uD800", "{{ name }} 東京\u0000\uD800"],
  ["{{#sys.query#}}", "", ""],
])("%j with %j", (template, query, filled) => {
  expect(fillQueryTemplate(template, query)).toBe(filled);
});

test.each([
  ["no placeholder", "got a template without a placeholder"],
  ["", "got a template without a placeholder"],
  ["{{#histories#}} {{#sys.query#}}", "got {{#histories#}}"],
  ["{{# sys.query #}}", "got {{# sys.query #}}"],
])("%j is refused", (template, got) => {
  expect(() => fillQueryTemplate(template, "Where?")).toThrow(RequestError);
  expect(() => fillQueryTemplate(template, "Where?")).toThrow(got);
});

test("a million letters are one template", () => {
  const long = "{{#".repeat(3e5);
  expect(fillQueryTemplate(`${long}{{#sys.query#}}`, "Where?")).toBe(`${long}Where?`);
});
