// Errors as the server answers them: without functions of the library, and without addresses and files of the store.
import { errorCodes } from "../../../src/base/error-codes.ts";
import { DependentEditsError, LimitError, RequestError, StoreError } from "../../../src/base/errors.ts";
import { errorOf } from "../../../src/surfaces/client/api-error.ts";
import { clientText, faultOf } from "../../../src/surfaces/http/fault.ts";
import { problemOf, problemShape } from "../../../src/surfaces/http/problem.ts";

test("an unknown agent is answered without a function of the library", () => {
  const error = new RequestError(
    "agent_not_found",
    'There is no agent "x". `runtime.agents.list()` lists your agents.',
  );
  expect(faultOf(error)).toMatchObject({ status: 404, message: 'There is no agent "x".' });
});

test("a failure of the store is answered without its address", () => {
  const message =
    "Cannot reach PostgreSQL at 10.0.0.5:5432 (connection refused). Check `databaseUrl` or start the server.";
  const error = new StoreError("store_unreachable", message);
  expect(faultOf(error)).toMatchObject({ status: 503, code: "store_unreachable", cause: error });
  expect(faultOf(error).message).toBe(errorCodes.store_unreachable);
  expect(clientText({ code: "objects_failed", message: "No answer from http://10.0.0.6/bucket." })).toBe(
    errorCodes.objects_failed,
  );
});

const edits = [{ label: "human", revisions: [1], later: [4, 12, 3] }];
const limit = { limit: "daily-tokens", retryAfterMs: 1000, text: "The limit is reached." } as const;

test.each([
  { code: "dependent_edits", error: new DependentEditsError(edits), details: { edits } },
  { code: "user_limit_reached", error: new LimitError(limit), details: { limit: "daily-tokens" } },
])("a client of `/api` gets the details of an error: $code", async ({ code, error, details }) => {
  const problem = problemOf(faultOf(error), "request-1");
  expect(problemShape.parse(problem)).toMatchObject({ details });
  expect(await errorOf(Response.json(problem, { status: 409 }))).toMatchObject({ code, details });
});

test("an error without details has no such field for a client of `/api`", async () => {
  const problem = problemOf(faultOf(new RequestError("agent_busy", "Busy.")), "request-1");
  expect(problem).not.toHaveProperty("details");
  expect((await errorOf(Response.json(problem, { status: 409 }))).details).toEqual({});
});

test("the field of an error has the same text", () => {
  const error = new RequestError("input_invalid", "Expected a name. `runtime.agents.list()` lists them.", {
    field: "name",
  });
  expect(faultOf(error).fields).toEqual([{ field: "name", message: "Expected a name." }]);
});
