// Parses a typed server address into the base URLs to try.
// Invariant: pure; no address contains credentials.
import { withScheme } from "../../../config/settings/forms.ts";

/** Returns the URLs to try in order: the typed one, and with `/v1`, which users often omit. Empty for an invalid address. */
export function addressesOf(given: string): readonly string[] {
  const text = withScheme(given);
  if (!/^https?:\/\/[^\s\p{Cc}]{1,2000}$/iu.test(text) || !URL.canParse(text)) return [];
  const { username, password, search, hash, pathname } = new URL(text);
  if (username !== "" || password !== "" || search !== "" || hash !== "") return [];
  const typed = text.replace(/\/{1,20}$/u, "");
  return /\/v\d/u.test(pathname) ? [typed] : [typed, `${typed}/v1`];
}
