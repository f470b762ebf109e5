// Checks a file that a program attaches to a message or passes to `files.describe`.
import {
  type ArgumentCheck,
  checkThat,
  isPlainObject,
  optional,
  options,
  text,
  argumentError,
} from "./argument-checks.ts";

const bytes = checkThat(
  "a Uint8Array or a Buffer",
  (value) => ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === "[object Uint8Array]",
  "Encode a text with new TextEncoder().encode(…).",
);

const name = optional(text);
const forms = {
  // TypeScript allows `mediaType` beside `path`, so it is accepted, but ignored: the media type is read from the file.
  path: options<{ path: string; name: string; mediaType: string }>({ path: text, name, mediaType: name }),
  data: options<{ data: Uint8Array; name: string; mediaType: string }>({ data: bytes, name: text, mediaType: name }),
  url: options<{ url: string; name: string; mediaType: string }>({ url: text, name, mediaType: name }),
};

export const fileInput: ArgumentCheck = (value, place) => {
  const form = isPlainObject(value) ? (["path", "data", "url"] as const).find((key) => key in value) : undefined;
  if (form !== undefined) {
    forms[form](value, { ...place, isArgument: false });
    return;
  }
  const expected = "{ path }, { data, name } or { url }";
  const remedy = 'Pass a file as { path: "notes.md" }.';
  throw argumentError(place.of, { ...place, expected, got: value, remedy });
};
