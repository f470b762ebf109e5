// What opens an address in a browser, and what it reports.
import { browserOpener, openBrowser } from "../../../src/surfaces/cli/open-browser.ts";

test.each([
  ["linux", {}, null],
  ["linux", { DISPLAY: ":0" }, ["xdg-open"]],
  ["linux", { WAYLAND_DISPLAY: "wayland-0" }, ["xdg-open"]],
  ["darwin", {}, ["open"]],
  ["darwin", { SSH_CONNECTION: "10.0.0.1 1 10.0.0.2 22" }, null],
  ["win32", {}, ["rundll32", "url.dll,FileProtocolHandler"]],
] as const)("%s with %j", (platform, variables, opener) => {
  expect(browserOpener(platform, variables)).toEqual(opener);
});

test("reports whether the program took the address", async () => {
  const node = process.execPath;
  const script = "process.exit(process.argv[1] === 'http://127.0.0.1/#key=a' ? 0 : 3)";
  expect(await openBrowser([node, "-e", script, "--"], "http://127.0.0.1/#key=a")).toBe(true);
  expect(await openBrowser([node, "-e", script, "--"], "http://other/")).toBe(false);
  expect(await openBrowser(["/nonexistent/opener"], "http://127.0.0.1/")).toBe(false);
});
