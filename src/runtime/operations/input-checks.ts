// Checks what callers pass for a record: its description, tags, JSON values and id, and the range of a list.
// Invariant: pure; an error names the field, what was expected and the kind of the given value, never the value itself.
import { describeKind } from "../../base/arguments/argument-checks.ts";
import { requireShortJson } from "../../base/arguments/short-json.ts";
import { codePointLength, describeText } from "../../base/code-points.ts";
import { RequestError } from "../../base/errors.ts";
import type { ListRange } from "../../store/port/page.ts";

/** Maximum length of a description, in code points. */
const maxDescription = 10_000;
const maxTags = 100;
const maxTagLength = 200;
const maxListing = 1000;

type JsonObject = Readonly<Record<string, unknown>>;

/** The checks of an input's fields. Each function throws RequestError `input_invalid`. */
export interface InputChecks {
  readonly invalid: (field: string, expected: string, got: string) => RequestError;
  /** Checks that the text is a UUID in lower case, and returns the text. */
  readonly id: (id: string) => string;
  readonly description: (text: string | null) => string | null;
  /** Checks the tags, and returns each once. */
  readonly tags: (tags: readonly string[]) => readonly string[];
  readonly json: (field: string, value: JsonObject) => JsonObject;
  readonly range: (range: Partial<ListRange>) => void;
}

/** Returns the checks. `subject` names the record at the beginning of an error's sentence, such as "An agent". */
export function inputChecks(subject: string): InputChecks {
  const invalid: InputChecks["invalid"] = (field, expected, got) =>
    new RequestError("input_invalid", `${subject}: expected \`${field}\` to be ${expected}, got ${got}.`, { field });
  return {
    invalid,
    id(id) {
      if (/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/u.test(id)) return id;
      throw invalid("id", "a UUID in lower case", describeText(id));
    },
    description(text) {
      const length = codePointLength(text ?? "");
      if (length > maxDescription) throw invalid("description", `at most ${maxDescription} characters`, `${length}`);
      return text;
    },
    tags(tags) {
      if (tags.length > maxTags) throw invalid("tags", `at most ${maxTags} tags`, `${tags.length}`);
      const at = tags.findIndex((tag) => tag.trim() === "" || codePointLength(tag) > maxTagLength);
      if (at >= 0) throw invalid(`tags[${at}]`, `a tag of 1 to ${maxTagLength} characters`, describeText(tags[at]!));
      return [...new Set(tags)];
    },
    json(field, value) {
      requireShortJson({ subject, field }, value);
      return value;
    },
    range({ order = "newest", limit = null }) {
      if (limit !== null && (!Number.isInteger(limit) || limit < 1 || limit > maxListing))
        throw invalid("limit", `a whole number from 1 to ${maxListing}`, `${limit}`);
      if (order !== "newest" && order !== "oldest") throw invalid("order", '"newest" or "oldest"', describeKind(order));
    },
  };
}
