// The origins of `--cors`.
import { ConfigError } from "../../../base/errors.ts";
import type { CommandLine } from "./parse-command-line.ts";

/**
 * Returns the values of `--cors` as a browser sends them. Throws ConfigError for anything else, such as an address with a
 * path, because it would match no page.
 */
export function originsOf(line: CommandLine): readonly string[] {
  return (line.lists.cors ?? []).map((text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    // The browser leaves out a standard port and writes names in lower case.
    if (url !== null && url.origin !== "null" && url.href === `${url.origin}/`) return url.origin;
    throw new ConfigError(
      `--cors: expected the origin of a page, such as https://app.example.com or http://localhost:5173, got "${text}".`,
    );
  });
}
