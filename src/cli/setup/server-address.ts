// The address of a server as people type it, and as its API wants it.
// Invariant: pure; no address has credentials in it.

/** What is to be tried in turn: as it is typed, and with `/v1`, which is often forgotten. Empty for what is no address. */
export function addressesOf(text: string): readonly string[] {
  if (!/^https?:\/\/[^\s\p{Cc}]{1,2000}$/iu.test(text) || !URL.canParse(text)) return [];
  const { username, password, search, hash, pathname } = new URL(text);
  if (username !== "" || password !== "" || search !== "" || hash !== "") return [];
  const typed = text.replace(/\/{1,20}$/u, "");
  return /\/v\d/u.test(pathname) ? [typed] : [typed, `${typed}/v1`];
}
