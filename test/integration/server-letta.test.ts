// The rules that all routes of Letta's API have in common: keys, ids, errors and paths.
import Letta from "@letta-ai/letta-client";
import { openLettaServer } from "../support/letta-server.ts";
import { useScene } from "../support/use-scene.ts";

const server = useScene(() => openLettaServer());

test("the health check needs no key, and its path may end with a slash", async () => {
  const anonymous = new Letta({ baseURL: server.url, apiKey: null });
  expect(await anonymous.health()).toEqual({ version: "0.16.8", status: "ok" });
  for (const path of ["/v1/health", "/v1/health/"])
    expect(await server.ask("GET", path)).toMatchObject({ status: 200, body: { status: "ok" } });
});

test("the document of the API is where Letta has it", async () => {
  const { status, body } = await server.ask("GET", "/openapi.json");
  expect(status).toBe(200);
  expect(Object.keys((body as { paths: object }).paths)).toContain("/v1/tags");
});

test("a request without a valid key is unauthorized", async () => {
  for (const headers of [{}, { authorization: "Bearer other" }, { "x-bare-password": "password other" }]) {
    const response = await fetch(`${server.url}/v1/tags/`, { headers: headers as Record<string, string> });
    expect([response.status, await response.json()]).toEqual([401, { detail: "Unauthorized" }]);
  }
});

test("the key may be in the header of Letta's password", async () => {
  const response = await fetch(`${server.url}/v1/tags/`, { headers: { "x-bare-password": `password ${server.key}` } });
  expect([response.status, await response.json()]).toEqual([200, []]);
});

test("an unknown route is reported as Letta does", async () => {
  expect(await server.ask("GET", "/v1/no-such-thing")).toEqual({ status: 404, body: { detail: "Not Found" } });
});
