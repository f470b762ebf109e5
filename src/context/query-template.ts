// Inserts the current question into a template, for workflows that have a prompt template.
// Invariant: pure; the question is inserted unchanged, even if it looks like a placeholder.
import { RequestError } from "../base/errors.ts";

/** The only placeholder. */
const placeholder = "{{#sys.query#}}";

/** Throws RequestError `input_invalid` if the template has another placeholder, or none. */
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
