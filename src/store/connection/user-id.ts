// Validates user ids.
import { storableText } from "../../base/code-points.ts";
import { RequestError } from "../../base/errors.ts";

const userIdLimit = 200;

/**
 * Returns the id, which is part of every key. Throws RequestError `input_invalid` for an empty id, for one of more than 200
 * UTF-16 units, and for one with NUL or a lone surrogate.
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
