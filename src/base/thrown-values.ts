// Describes any thrown value, and errors of the operating system.
// Invariant: an error is recognized by its properties, never by its class, because the class may be from another realm (in
// tests, for example).

/** Returns an error's message, or the text of another thrown value. Never throws. */
export function messageOf(error: unknown): string {
  try {
    return String(typeof error === "object" && error !== null && "message" in error ? error.message : error);
  } catch {
    // An object without a prototype, for example, cannot be converted to a text.
    return "a value without a text";
  }
}

/** Returns the code of an error, such as `ENOENT` or `agent_not_found`; undefined for a value without a code. */
export function systemErrorCode(error: unknown): string | undefined {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** Returns a handler for `catch` that returns `value` for an error with the code, and throws any other error again. */
export function valueOn<Value>(code: string, value: Value): (error: unknown) => Value {
  return (error) => {
    if (systemErrorCode(error) === code) return value;
    throw error;
  };
}

/** Returns null for an error of the operating system, as a handler for `catch`, and throws any other error again. */
export function nullOnSystemError(error: unknown): null {
  if (systemErrorCode(error) === undefined) throw error;
  return null;
}

/** Returns why the file system refused an operation, as text to append after a colon. */
export function reasonOf(error: unknown): string {
  return reasons[systemErrorCode(error) ?? ""] ?? messageOf(error);
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is not a folder",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EROFS: "the file system is read-only",
  ELOOP: "its links form a cycle",
  ENAMETOOLONG: "its path is too long",
  EMFILE: "this process has too many files open",
  ERR_INVALID_ARG_VALUE: "its path contains a NUL character",
  ERR_ENCODING_INVALID_ENCODED_DATA: "it is not UTF-8 text",
};
