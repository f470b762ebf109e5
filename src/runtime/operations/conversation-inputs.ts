// Validates what callers pass for a conversation: its title, and the page of its messages.
// Invariant: pure; nothing is read or written for invalid input.
import { codePointLength, storableText } from "../../base/code-points.ts";
import { RequestError } from "../../base/errors.ts";
import type { MessagePageRequest } from "../../store/port/conversation-store.ts";
import type { MessagePageOptions } from "../conversations.ts";

const defaultPageSize = 50;
const maxPageSize = 500;

/** In code points. */
const maxTitleLength = 200;

/** Throws RequestError `input_invalid`. */
export function pageRequest({ before, after, from, limit = defaultPageSize }: MessagePageOptions): MessagePageRequest {
  if ([before, after, from].filter((given) => given !== undefined).length > 1) {
    throw invalid("Expected one of `before`, `after` and `from`, got several. Read one direction at a time.");
  }
  if (!Number.isInteger(limit) || limit < 1 || limit > maxPageSize) {
    throw invalid(`Expected \`limit\` to be a whole number from 1 to ${maxPageSize}, got ${limit}.`);
  }
  return {
    cursor: before ?? after ?? null,
    direction: after === undefined && from !== "beginning" ? "before" : "after",
    limit,
  };
}

/** Returns the title without surrounding white space. Throws RequestError `input_invalid`. */
export function conversationTitle(text: string): string {
  const title = storableText(text).trim();
  const length = codePointLength(title);
  if (length < 1 || length > maxTitleLength || /[\r\n]/u.test(title)) {
    throw invalid(
      `Expected a title of 1 to ${maxTitleLength} characters on one line, got ${length}${/[\r\n]/u.test(title) ? " with a line break" : ""}. Pass null to remove the title.`,
    );
  }
  return title;
}

function invalid(message: string): RequestError {
  return new RequestError("input_invalid", message);
}
