// `fetch` for an MCP server that needs a sign-in: sends the stored token, and renews it when the server refuses it.
// Invariant: tokens are sent to the server's origin only, a refresh token only to the authorization server that issued it; only
// one process renews tokens at a time, and the others use its result.
import {
  computeScopeUnion,
  extractWWWAuthenticateParams,
  OAuthError,
  OAuthErrorCode,
  type OAuthTokens,
  refreshAuthorization,
} from "@modelcontextprotocol/client";
import { messageOf } from "../../../base/thrown-values.ts";
import { SignInError } from "../../../base/errors.ts";
import { boundedFetch, bounds } from "../bounds.ts";
import type { McpServerOptions } from "../tool-definition.ts";
import type { SignInFile, StoredSignIn } from "./sign-in-file.ts";

export interface AuthorizedFetch {
  readonly fetch: typeof fetch;
  /** Returns whether the server refused the last request because the user is not signed in. */
  isRefused(): boolean;
}

export interface SignInPlace {
  /** The server's name; `url` is its address. */
  readonly name: string;
  readonly url: string;
  readonly oauth: McpServerOptions["oauth"];
  readonly file: SignInFile;
}

export function createAuthorizedFetch(place: SignInPlace, base: typeof fetch): AuthorizedFetch {
  const { url, file } = place;
  let isRefused = false;
  const refusal = (reason: string): SignInError => {
    isRefused = true;
    return new SignInError(reason, { needsUser: true });
  };

  const send: typeof fetch = async (input, init) => {
    if (new URL(input instanceof Request ? input.url : input).origin !== new URL(url).origin) return base(input, init);
    const stored = await file.read();
    const first = await base(input, withToken(init, stored));
    const response =
      first.status === 401 ? await again(first, stored, (renewed) => base(input, withToken(init, renewed))) : first;
    if (response.status === 403) await checkScope(response, stored);
    isRefused = false;
    return response;
  };

  async function again(
    refused: Response,
    stored: StoredSignIn | null,
    repeat: (renewed: StoredSignIn) => Promise<Response>,
  ): Promise<Response> {
    await refused.body?.cancel();
    if (stored === null) throw refusal("it needs a sign-in");
    const renewed = await renew(place, stored);
    if (renewed === null) throw refusal("its sign-in has ended");
    const response = await repeat(renewed);
    if (response.status !== 401) return response;
    await response.body?.cancel();
    throw refusal("it refuses the renewed token of its sign-in");
  }

  /** If a scope is missing, stores the scopes that the next sign-in must request, and throws SignInError. */
  async function checkScope(response: Response, stored: StoredSignIn | null): Promise<void> {
    const { error, scope } = extractWWWAuthenticateParams(response);
    if (error !== "insufficient_scope") return;
    await response.body?.cancel();
    await file.locked(async () => {
      const now = await file.read();
      const wantedScope = computeScopeUnion(stored?.wantedScope, now?.tokens.scope, scope);
      if (now !== null) await file.write({ ...now, wantedScope });
    });
    throw refusal("its sign-in does not permit this request");
  }

  return { fetch: send, isRefused: () => isRefused };
}

function withToken(init: RequestInit | undefined, stored: StoredSignIn | null): RequestInit {
  const headers = new Headers(init?.headers);
  if (stored !== null) headers.set("authorization", `Bearer ${stored.tokens.access_token}`);
  return { ...init, headers };
}

/** Returns the renewed sign-in; null if the user must sign in again. Throws SignInError if a later renewal may succeed. */
function renew(place: SignInPlace, refused: StoredSignIn): Promise<StoredSignIn | null> {
  const { file } = place;
  return file.locked(async () => {
    const stored = await file.read();
    if (stored === null) return null;
    if (stored.tokens.access_token !== refused.tokens.access_token) return stored;
    const tokens = await freshTokens(place, stored);
    if (tokens === null) return null;
    const renewed = { ...stored, tokens: { ...stored.tokens, ...tokens } };
    await file.write(renewed);
    return renewed;
  });
}

const finalCodes: readonly string[] = [
  OAuthErrorCode.InvalidGrant,
  OAuthErrorCode.InvalidClient,
  OAuthErrorCode.UnauthorizedClient,
];

async function freshTokens({ oauth, file }: SignInPlace, stored: StoredSignIn): Promise<OAuthTokens | null> {
  const { authorizationServer, metadata, resource, client = configuredClient(oauth), tokens } = stored;
  const { refresh_token: refreshToken, ...others } = tokens;
  if (refreshToken === undefined || client === undefined) return null;
  let status = 0;
  try {
    return await refreshAuthorization(authorizationServer, {
      ...(metadata === undefined ? {} : { metadata }),
      ...(resource === undefined ? {} : { resource }),
      clientInformation: client,
      refreshToken,
      fetchFn: async (input, init) => {
        const response = await authorizationFetch(input, init);
        status = response.status;
        return response;
      },
    });
  } catch (error) {
    // Removes the refused refresh token, so that the authorization server is not asked again.
    if (error instanceof OAuthError && finalCodes.includes(error.code)) {
      await file.write({ ...stored, tokens: others });
      return null;
    }
    if (isRefusal(status)) return null;
    const reason = messageOf(error).slice(0, 300).toWellFormed();
    throw new SignInError(`its sign-in cannot be renewed (${reason})`, { needsUser: false, cause: error });
  }
}

/** Returns whether the authorization server's status refuses the sign-in permanently, so that a new sign-in is needed. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 429;
}

/** Returns the client that the user has registered with the authorization server; undefined: Palimpsest registers itself. */
export function configuredClient(oauth: McpServerOptions["oauth"]) {
  if (oauth?.clientId === undefined) return undefined;
  const { clientId, clientSecret } = oauth;
  return { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) };
}

const bounded = boundedFetch(bounds.authorizationBytes, fetch);

/** A `fetch` for authorization servers: bounded in time and size, and without the headers for the MCP server. */
export const authorizationFetch: typeof fetch = (input, init) =>
  bounded(input, { ...init, signal: AbortSignal.timeout(bounds.authorizationMs) });
