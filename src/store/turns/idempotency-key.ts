// The keys under which inputs are accepted once.
import { storableText } from "../../base/code-points.ts";
import { RequestError } from "../../errors.ts";

const keyLimit = 200;

/** The key as it is stored. Throws RequestError `input_invalid` for a blank or long one. */
export function idempotencyKeyOf(text: string): string {
  const key = storableText(text);
  if (key === "" || key.length > keyLimit) {
    throw new RequestError(
      "input_invalid",
      `An idempotency key has 1 to ${keyLimit} characters, this one has ${key.length}.`,
    );
  }
  return key;
}

export function inputRepeated(): RequestError {
  return new RequestError(
    "input_repeated",
    "This input was accepted before, under the same idempotency key. Nothing was written.",
  );
}
