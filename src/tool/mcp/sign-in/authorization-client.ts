// This program as an OAuth client during one sign-in.
// Invariant: everything is kept in memory until the tokens are here, so an attempt that fails changes nothing.
import { randomBytes } from "node:crypto";
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { ToolError } from "../../../base/errors.ts";
import type { McpServerOptions } from "../tool-definition.ts";
import { configuredClient } from "./authorized-fetch.ts";

export type AuthorizationClient = ReturnType<typeof createAuthorizationClient>;

interface ClientOptions {
  readonly redirectUrl: string;
  readonly oauth: McpServerOptions["oauth"];
  readonly save: (tokens: StoredOAuthTokens) => Promise<void>;
}

/** `expectedState`: what the answer has to contain. */
export function createAuthorizationClient({ redirectUrl, oauth, save }: ClientOptions) {
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
    // Absent, it keeps the SDK from registering a client beside the configured one.
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
    /** What the MCP server says about its authorization server. Throws ToolError before it was asked, as the others. */
    discovery: () => required(discovery),
    /** The page for the browser. Throws ToolError also for an address that is not a page. */
    page() {
      const { protocol } = required(page);
      if (protocol === "https:" || protocol === "http:") return required(page);
      throw new ToolError(`its page for the sign-in is not a web page (${JSON.stringify(protocol.slice(0, 20))})`);
    },
  } satisfies OAuthClientProvider & Record<string, unknown>;
}

function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new ToolError("its authorization server was not asked yet");
  return value;
}
