// An MCP server over HTTP that needs a sign-in, with its authorization server: PKCE, codes and refresh tokens that work once.
// Invariant: a refresh token that is used again revokes all that came from its sign-in, so that a lost renewal shows.
import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

interface Grant {
  readonly family: string;
  readonly client: string;
  readonly scope: string;
}

interface Code extends Grant {
  readonly challenge: string;
  readonly redirect: string;
}

export interface GuardedServer {
  readonly url: string;
  /** What the server does; may be changed. */
  readonly rules: {
    agrees: boolean;
    registers: boolean;
    /** The path of the authorization server. */
    issuer: string;
    sendsIssuer: boolean;
    isDown: boolean;
    secret: string | null;
    /** Milliseconds that a renewal takes. */
    delay: number;
  };
  readonly seen: {
    registrations: number;
    renewals: number;
    calls: string[];
    scopes: (string | null)[];
    tokens: string[];
    /** The authorization of requests without a valid token. */
    refused: (string | null)[];
  };
  expire(): void;
  revoke(): void;
  close(): Promise<void>;
}

/** `say` needs the scope `read`, `write` also `write`. */
export async function guardedMcpServer(): Promise<GuardedServer> {
  const rules = {
    agrees: true,
    registers: true,
    issuer: "/one",
    sendsIssuer: false,
    isDown: false,
    secret: null as string | null,
    delay: 0,
  };
  const seen: GuardedServer["seen"] = { registrations: 0, renewals: 0, calls: [], scopes: [], tokens: [], refused: [] };
  const clients = new Map<string, readonly string[]>([["given", []]]);
  const codes = new Map<string, Code>();
  const access = new Map<string, Grant & { readonly issuer: string }>();
  const refresh = new Map<string, Grant>();
  const used = new Map<string, string>();
  let origin = "";

  const json = (response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  const fault = (response: ServerResponse, error: string): void => json(response, 400, { error });

  function issueTokens(response: ServerResponse, grant: Grant): void {
    const [token, renewal] = [randomUUID(), randomUUID()];
    access.set(token, { ...grant, issuer: rules.issuer });
    refresh.set(renewal, grant);
    seen.tokens.push(token, renewal);
    json(response, 200, {
      access_token: token,
      token_type: "Bearer",
      expires_in: 60,
      refresh_token: renewal,
      scope: grant.scope,
    });
  }

  function authorize(url: URL, response: ServerResponse): void {
    const ask = Object.fromEntries(url.searchParams) as Record<string, string>;
    const redirects = clients.get(ask["client_id"] ?? "");
    const redirect = new URL(ask["redirect_uri"]!);
    if (redirects === undefined || (redirects.length > 0 && !redirects.includes(redirect.href)))
      return fault(response, "unknown client or redirect");
    seen.scopes.push(ask["scope"] ?? null);
    redirect.searchParams.set("state", ask["state"]!);
    if (rules.sendsIssuer) redirect.searchParams.set("iss", `${origin}${rules.issuer}`);
    if (rules.agrees) {
      const code = randomUUID();
      const { client_id: client = "", scope = "read", code_challenge: challenge = "" } = ask;
      codes.set(code, { family: code, client, scope, challenge, redirect: ask["redirect_uri"]! });
      redirect.searchParams.set("code", code);
    } else redirect.searchParams.set("error", "access_denied");
    response.writeHead(302, { location: redirect.href }).end();
  }

  function clientOf(request: IncomingMessage, form: URLSearchParams): string | null {
    const basic = Buffer.from(request.headers.authorization?.slice(6) ?? "", "base64").toString("utf8");
    const [id = "", secret = ""] =
      basic === "" ? [form.get("client_id") ?? "", form.get("client_secret") ?? ""] : basic.split(":");
    return id === "given" && rules.secret !== null && secret !== rules.secret ? null : id;
  }

  async function token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(request));
    const client = clientOf(request, form);
    if (client === null) return json(response, 401, { error: "invalid_client" });
    if (form.get("grant_type") === "refresh_token") return renew(form.get("refresh_token") ?? "", client, response);
    const code = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (code?.client !== client || code.challenge !== challenge || code.redirect !== form.get("redirect_uri"))
      return fault(response, "invalid_grant");
    issueTokens(response, code);
  }

  async function renew(given: string, client: string, response: ServerResponse): Promise<void> {
    seen.renewals += 1;
    await new Promise((resolve) => setTimeout(resolve, rules.delay));
    const grant = refresh.get(given);
    refresh.delete(given);
    const family = used.get(given);
    const revoked = [...refresh, ...access].filter(([, one]) => one.family === family);
    for (const [key] of revoked) {
      refresh.delete(key);
      access.delete(key);
    }
    if (grant?.client !== client) return fault(response, "invalid_grant");
    used.set(given, grant.family);
    issueTokens(response, grant);
  }

  function metadata(): object {
    const issuer = `${origin}${rules.issuer}`;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      ...(rules.registers ? { registration_endpoint: `${issuer}/register` } : {}),
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: rules.sendsIssuer,
    };
  }

  function tools(
    grant: Grant,
    message: { id?: number; method: string; params?: { name?: string } },
    response: ServerResponse,
  ) {
    const answers: Record<string, () => object> = {
      initialize: () => ({
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "guarded", version: "1" },
      }),
      "tools/list": () => ({
        tools: ["say", "write"].map((name) => ({ name, description: name, inputSchema: { type: "object" } })),
      }),
      "tools/call": () => ({ content: [{ type: "text", text: `did ${message.params?.name}` }] }),
    };
    if (message.method === "tools/call") {
      const { name = "" } = message.params ?? {};
      if (name === "write" && !grant.scope.split(" ").includes("write")) {
        const challenge = `Bearer error="insufficient_scope", scope="write", resource_metadata="${origin}/about"`;
        return json(response, 403, {}, { "www-authenticate": challenge });
      }
      seen.calls.push(name);
    }
    if (message.id === undefined) return void response.writeHead(202).end();
    json(response, 200, { jsonrpc: "2.0", id: message.id, result: answers[message.method]?.() ?? {} });
  }

  async function serveTools(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const grant = access.get(request.headers.authorization?.replace("Bearer ", "") ?? "");
    const body = JSON.parse(await text(request)) as { id?: number; method: string };
    if (grant === undefined) seen.refused.push(request.headers.authorization ?? null);
    if (grant !== undefined && grant.issuer === rules.issuer) return tools(grant, body, response);
    json(response, 401, {}, { "www-authenticate": `Bearer scope="read", resource_metadata="${origin}/about"` });
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", origin);
    const under = (path: string): boolean => url.pathname === `${rules.issuer}${path}`;
    if (rules.isDown && under("/token")) return void response.writeHead(503).end("down");
    if (url.pathname === "/mcp") return void serveTools(request, response);
    if (url.pathname === "/about")
      return json(response, 200, { resource: `${origin}/mcp`, authorization_servers: [`${origin}${rules.issuer}`] });
    if (url.pathname === `/.well-known/oauth-authorization-server${rules.issuer}`)
      return json(response, 200, metadata());
    if (under("/authorize")) return authorize(url, response);
    if (under("/token")) return void token(request, response);
    if (under("/register") && rules.registers)
      return void text(request).then((body) => {
        const asked = JSON.parse(body) as { redirect_uris: readonly string[] };
        seen.registrations += 1;
        const id = randomUUID();
        clients.set(id, asked.redirect_uris);
        json(response, 201, { ...asked, client_id: id, token_endpoint_auth_method: "none" });
      });
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/mcp`,
    rules,
    seen,
    expire: () => access.clear(),
    revoke: () => refresh.clear(),
    close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(() => resolve()))),
  };
}

/** What a browser does: opens the page, which agrees or denies, and goes where it is sent. Returns that address. */
export async function visit(page: string): Promise<string> {
  const answer = await fetch(page, { redirect: "manual" });
  return answer.headers.get("location") ?? `no redirect: ${answer.status} ${await answer.text()}`;
}
