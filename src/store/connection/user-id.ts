// What may be a user's id.
import { storableText } from "../../base/code-points.ts";
import { RequestError } from "../../errors.ts";

const userIdLimit = 200;

/** The id, or RequestError: it stands in every key, so it must be short, and it must come back as it was given. */
export function requireUserId(userId: string): string {
  if (userId === "" || userId.length > userIdLimit || storableText(userId) !== userId) {
    throw new RequestError(
      "input_invalid",
      `A user's id has 1 to ${userIdLimit} characters, without NUL or lone surrogates.`,
    );
  }
  return userId;
}
