// Signs the user in to an MCP server by OAuth, from the first request to the stored tokens.
// Invariant: an answer with another `state` is refused, a code is used once, and nothing is stored before the new tokens have
// arrived, so a failed attempt changes nothing.
import { randomBytes } from "node:crypto";
import {
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  fetchToken,
  LATEST_PROTOCOL_VERSION,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  validateAuthorizationResponseIssuer,
} from "@modelcontextprotocol/client";
import { messageOf } from "../../../base/thrown-values.ts";
import { RequestError, ToolError } from "../../../base/errors.ts";
import type { McpSignIn } from "../../mcp-dialogue.ts";
import { boundedFetch, bounds } from "../bounds.ts";
import { thisClient } from "../open-client.ts";
import type { McpServerOptions } from "../tool-definition.ts";
import { authorizationFetch, configuredClient, type SignInPlace } from "./authorized-fetch.ts";
import { listenForRedirect, type RedirectListener } from "./redirect-listener.ts";

export interface SignInRequest extends SignInPlace {
  readonly headers: Readonly<Record<string, string>>;
}

/** Begins a sign-in. Throws RequestError `mcp_sign_in_failed` if the server or its authorization server cannot be used. */
export async function beginSignIn(request: SignInRequest): Promise<McpSignIn> {
  const { name, oauth } = request;
  const end = createEnd(name);
  let redeeming: Promise<void> | null = null;

  async function take(answer: URLSearchParams): Promise<void> {
    if (answer.get("state") !== client.expectedState) throw failed(name, "that address belongs to another sign-in");
    redeeming ??= redeem(client, answer).then(end.resolve, end.reject);
    await end.ended;
  }

  const listener = await listenForRedirect(oauth?.callbackPort ?? 0, (answer) =>
    take(answer).then(
      () => true,
      () => false,
    ),
  );
  const save = (tokens: StoredOAuthTokens): Promise<void> => store(request, client, tokens);
  const client = createAuthorizationClient({ redirectUrl: listener.address, oauth, save });
  await askForPage(request, client).catch((error: unknown) => {
    listener.close();
    throw failed(name, reasonIn(error), error);
  });
  end.wait(listener);
  return {
    address: client.page().href,
    ended: end.ended,
    async finish(redirected) {
      if (!URL.canParse(redirected))
        throw failed(name, "expected the whole URL from the browser's address bar, got a text that is not a URL");
      await take(new URL(redirected).searchParams);
    },
    cancel: () => end.reject(new ToolError("it was cancelled")),
  };
}

/** Finds the authorization server, registers Palimpsest there unless it is registered, and builds the address of its page. */
async function askForPage({ url, headers, oauth, file }: SignInRequest, client: AuthorizationClient): Promise<void> {
  const { resourceMetadataUrl, scope } = await challengeOf(url, headers);
  const stored = await file.read();
  const wanted = computeScopeUnion(oauth?.scopes ?? scope, stored?.wantedScope);
  await auth(client, {
    serverUrl: url,
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
    ...(wanted === undefined ? {} : { scope: wanted }),
    fetchFn: authorizationFetch,
  });
  client.page();
}

/** Sends a request without a token, and returns the parameters of the header `WWW-Authenticate` in the answer. */
async function challengeOf(url: string, headers: Readonly<Record<string, string>>) {
  const response = await boundedFetch(bounds.authorizationBytes, fetch)(url, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 0,
      method: "initialize",
      params: {
        protocolVersion: LATEST_PROTOCOL_VERSION,
        capabilities: {},
        clientInfo: thisClient,
      },
    }),
    redirect: "manual",
    signal: AbortSignal.timeout(bounds.authorizationMs),
  });
  await response.body?.cancel();
  return response.status === 401 ? extractWWWAuthenticateParams(response) : {};
}

/** Exchanges the code of an answer for tokens, and stores them. */
async function redeem(client: AuthorizationClient, answer: URLSearchParams): Promise<void> {
  const { authorizationServerUrl, authorizationServerMetadata: metadata, resourceMetadata } = client.discovery();
  const iss = answer.get("iss") ?? undefined;
  // The issuer is checked before any part of the answer is shown, because the answer may come from another server.
  validateAuthorizationResponseIssuer({
    iss,
    expectedIssuer: metadata?.issuer,
    issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
  });
  const code = answer.get("code");
  if (code === null) throw new ToolError(refusalIn(answer));
  const tokens = await fetchToken(client, authorizationServerUrl, {
    ...(metadata === undefined ? {} : { metadata }),
    ...(resourceMetadata === undefined ? {} : { resource: resourceMetadata.resource }),
    ...(iss === undefined ? {} : { iss }),
    authorizationCode: code,
    fetchFn: authorizationFetch,
  });
  await client.saveTokens({ ...tokens, issuer: metadata?.issuer ?? authorizationServerUrl });
}

function refusalIn(answer: URLSearchParams): string {
  const error = answer.get("error");
  if (error === null) return "the address contains no authorization code";
  if (error === "access_denied") return "you or the authorization server refused the sign-in";
  const description = answer.get("error_description");
  return `the authorization server answered ${error}${description === null ? "" : ` (${description})`}`;
}

async function store(
  { url, oauth, file }: SignInRequest,
  client: AuthorizationClient,
  tokens: StoredOAuthTokens,
): Promise<void> {
  const { authorizationServerUrl, authorizationServerMetadata, resourceMetadata } = client.discovery();
  const asked = client.page().searchParams.get("scope") ?? undefined;
  await file.locked(() =>
    file.write({
      url,
      authorizationServer: authorizationServerUrl,
      metadata: authorizationServerMetadata,
      resource: resourceMetadata?.resource,
      client: configuredClient(oauth) === undefined ? client.clientInformation() : undefined,
      // A server may omit the scope if it is the requested one.
      tokens: { ...tokens, scope: tokens.scope ?? asked },
    }),
  );
}

interface End {
  readonly ended: Promise<void>;
  /** Closes the listener at the end of the sign-in, and ends the sign-in at its time-out. */
  wait(listener: RedirectListener): void;
  resolve(): void;
  reject(error: unknown): void;
}

function createEnd(name: string): End {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const ended = new Promise<void>((resolveEnd, rejectEnd) => {
    resolve = resolveEnd;
    reject = (error) => rejectEnd(failed(name, reasonIn(error), error));
  });
  return {
    ended,
    resolve,
    reject,
    wait(listener) {
      const timer = setTimeout(
        () => reject(new ToolError(`nobody signed in within ${bounds.signInMs / 60_000} minutes`)),
        bounds.signInMs,
      );
      const stop = (): void => {
        clearTimeout(timer);
        listener.close();
      };
      // The second `stop` prevents an unhandled rejection when no caller waits for `ended`.
      ended.then(stop, stop);
    },
  };
}

/** Returns an error's message, cut to 300 UTF-16 units, because an authorization server may put anything into it. */
function reasonIn(error: unknown): string {
  return messageOf(error).slice(0, 300).toWellFormed();
}

function failed(server: string, reason: string, cause?: unknown): RequestError {
  const message = `The sign-in to the MCP server ${server} did not succeed: ${reason}.`;
  return new RequestError("mcp_sign_in_failed", message, cause === undefined ? {} : { cause });
}

type AuthorizationClient = ReturnType<typeof createAuthorizationClient>;

interface ClientOptions {
  readonly redirectUrl: string;
  readonly oauth: McpServerOptions["oauth"];
  readonly save: (tokens: StoredOAuthTokens) => Promise<void>;
}

/** Creates an OAuthClientProvider of the SDK, which holds the data of one sign-in. An answer must have `expectedState`. */
function createAuthorizationClient({ redirectUrl, oauth, save }: ClientOptions) {
  const expectedState = randomBytes(32).toString("base64url");
  const configured = configuredClient(oauth);
  let client: StoredOAuthClientInformation | undefined = configured;
  let verifier: string | undefined;
  let discovery: OAuthDiscoveryState | undefined;
  let page: URL | undefined;
  const clientMetadata: OAuthClientMetadata = {
    client_name: "palimpsest",
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
  };
  return {
    expectedState,
    redirectUrl,
    clientMetadata,
    state: () => expectedState,
    clientInformation: () => client,
    // The function is left out if a client is configured, so that the SDK does not register another one.
    ...(configured === undefined
      ? { saveClientInformation: (registered: StoredOAuthClientInformation) => void (client = registered) }
      : {}),
    tokens: () => undefined,
    saveTokens: save,
    redirectToAuthorization: (url) => void (page = url),
    saveCodeVerifier: (text) => void (verifier = text),
    codeVerifier: () => required(verifier),
    saveDiscoveryState: (state) => void (discovery = state),
    discoveryState: () => discovery,
    /** Returns what the MCP server states about its authorization server. Throws ToolError before the SDK has asked for it. */
    discovery: () => required(discovery),
    /** Returns the page for the browser. Throws ToolError if there is none yet, or its address is not HTTP. */
    page() {
      const { protocol } = required(page);
      if (protocol === "https:" || protocol === "http:") return required(page);
      throw new ToolError(`its sign-in page is not at an HTTP address (${JSON.stringify(protocol.slice(0, 20))})`);
    },
  } satisfies OAuthClientProvider & Record<string, unknown>;
}

function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new ToolError("its authorization server was not asked yet");
  return value;
}
