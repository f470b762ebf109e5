// The errors of a detached server, as the process that started it receives them.
import { ConfigError, StoreError } from "../../../src/base/errors.ts";
import { failureReport, reportedError } from "../../../src/store/embedded/server-report.ts";

test.each(
  [
    new ConfigError("bad"),
    new StoreError("store_locked", "bad"),
    new StoreError("store_timeout", "bad"),
    new StoreError("store_extension_missing", "bad"),
  ].map((error) => [error.code, error] as const),
)("%s keeps its class, code and message", (_code, error) => {
  const reported = reportedError(JSON.parse(JSON.stringify(failureReport(error))));
  expect([reported.constructor, reported.code, reported.message]).toEqual([error.constructor, error.code, "bad"]);
});

test("any other failure is store_failed, with its reason", () => {
  expect(reportedError(failureReport(new TypeError("no wasm")))).toMatchObject({
    code: "store_failed",
    message: "The embedded database could not be started: no wasm",
  });
});
