// Completes the address of a server on this machine.
// Invariant: pure; only a loopback address gets a scheme, because http:// to another machine would send keys unencrypted.

/** Returns `http://localhost:1234` for `localhost:1234`, and every other text unchanged. */
export function withScheme(address: string): string {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]):\d{1,5}(?:\/\S{0,2000})?$/iu.test(address)
    ? `http://${address}`
    : address;
}
