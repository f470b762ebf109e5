// What is refused of a user's MCP server, and the words of the refusal.
import { changedPlace } from "../../../src/runtime/mcp-servers/mcp-server-operations.ts";

describe("fields of the other kind of server", () => {
  it.each([
    [{ url: "https://mcp.example.org", args: ["x"] }, "`args` to be absent, because the server has a URL, got a value"],
    [
      { url: "https://mcp.example.org", env: { A: "b" } },
      "`env` to be absent, because the server has a URL, got a value",
    ],
    [{ command: "run", headers: { a: "b" } }, "`headers` to be absent, because the server is a program, got a value"],
  ])("are refused by name: %j", (given, words) => {
    expect(() => changedPlace(null, given)).toThrow(words);
  });
});
