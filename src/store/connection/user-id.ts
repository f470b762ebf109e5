// Validates user ids.
import { storableText } from "../../base/code-points.ts";
import { RequestError } from "../../base/errors.ts";

const userIdLimit = 200;

/**
 * Returns the id. Throws RequestError `input_invalid` unless it is short and survives storage unchanged: it is part of every
 * key.
 */
export function requireUserId(userId: string): string {
  if (userId === "" || userId.length > userIdLimit || storableText(userId) !== userId) {
    throw new RequestError(
      "input_invalid",
      `Expected a user id of 1 to ${userIdLimit} characters, without NUL or lone surrogates.`,
    );
  }
  return userId;
}
