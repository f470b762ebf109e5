// Signs the user in to one MCP server, and out. Requests to the server send the token of the sign-in.
// Invariant: at most one sign-in to a server waits for the user at a time; a server whose configuration has a header
// `Authorization` has no sign-in.
import type { Clock } from "../../../base/clock.ts";
import { RequestError } from "../../../base/errors.ts";
import type { McpServerOptions } from "../tool-definition.ts";
import { type AuthorizedFetch, createAuthorizedFetch } from "./authorized-fetch.ts";
import type { McpSignIn } from "../../mcp-dialogue.ts";
import { beginSignIn } from "./sign-in.ts";
import { removeSignIns, signInFile } from "./sign-in-file.ts";

export interface ServerSignIn extends AuthorizedFetch {
  /**
   * Begins a sign-in, which ends after `onSignedIn` has resolved. Cancels an earlier sign-in that still waits.
   * Throws RequestError `mcp_sign_in_failed`.
   */
  begin(onSignedIn: () => Promise<void>): Promise<McpSignIn>;
  /** Removes the sign-in and returns whether the user was signed in. */
  forget(): Promise<boolean>;
  cancel(): void;
}

interface SignInDeps {
  /** The folder of the files with tokens; null: tokens cannot be stored. */
  readonly folder: string | null;
  readonly clock: Clock;
}

export function createServerSignIn(
  name: string,
  options: McpServerOptions,
  { folder, clock }: SignInDeps,
): ServerSignIn {
  const { url, headers = {}, oauth } = options;
  const fault = faultOf(options, folder);
  const forget = async (): Promise<boolean> => folder !== null && removeSignIns(folder, name, clock);
  if (fault !== null || url === undefined || folder === null) {
    const refuse = async (): Promise<never> => {
      throw new RequestError("mcp_sign_in_failed", `You cannot sign in to the MCP server ${name}, because ${fault}.`);
    };
    return { fetch, isRefused: () => false, begin: refuse, forget, cancel: () => undefined };
  }
  const place = { name, url, oauth, file: signInFile({ folder, name, url }, clock) };
  let waiting: McpSignIn | null = null;
  return {
    ...createAuthorizedFetch(place, fetch),
    async begin(onSignedIn) {
      waiting?.cancel();
      const signIn = await beginSignIn({ ...place, headers });
      waiting = signIn;
      const ended = signIn.ended.then(onSignedIn);
      // Prevents an unhandled rejection if the caller waits for `finish` instead.
      ended.catch(() => undefined);
      return { ...signIn, ended };
    },
    forget,
    cancel: () => waiting?.cancel(),
  };
}

function faultOf({ url, headers = {} }: McpServerOptions, folder: string | null): string | null {
  if (url === undefined) return "it is a program on this machine";
  if (Object.keys(headers).some((header) => header.toLowerCase() === "authorization"))
    return "its configuration has the header Authorization. To sign in, remove the header";
  return folder === null ? "there is no folder for its tokens. Pass `dataDir`" : null;
}
