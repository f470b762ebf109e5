// Puts the current question into a template, as workflows with a prompt template for it want.
// Invariant: pure; the question goes in as it is, also when it looks like a placeholder.
import { RequestError } from "../errors.ts";

/** The one placeholder there is. */
const placeholder = "{{#sys.query#}}";

/** Throws RequestError `input_invalid` when the template has another placeholder, or none. */
export function fillQueryTemplate(template: string, query: string): string {
  const found = template.match(/\{\{#[^{}#]*#\}\}/gu) ?? [];
  const other = found.find((one) => one !== placeholder);
  if (other !== undefined || found.length === 0) {
    const got = other ?? "a template without one";
    throw new RequestError(
      "input_invalid",
      `Expected a query template with ${placeholder} and no other placeholder, got ${got}.`,
    );
  }
  return template.split(placeholder).join(query);
}
