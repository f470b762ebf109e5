// The OpenAPI documents, and the table of statuses.
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { errorCodes } from "../../src/base/errors.ts";
import { apiDoor } from "../../src/surfaces/http/api/api-door.ts";
import { lettaDoor } from "../../src/surfaces/http/letta/letta-door.ts";
import { openAiDoor } from "../../src/surfaces/http/openai/openai-door.ts";
import { statusOf } from "../../src/surfaces/http/fault.ts";
import { openApiOf } from "../../src/surfaces/http/openapi.ts";
import { words } from "../support/words.ts";

test("the document contains each route once, with its parameters", () => {
  const document = openApiOf(apiDoor, "1.2.3") as {
    readonly openapi: string;
    readonly paths: Readonly<
      Record<
        string,
        Readonly<Record<string, { operationId: string; parameters: readonly { name: string; in: string }[] }>>
      >
    >;
  };
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  expect(document.openapi).toBe("3.1.0");
  expect(operations).toHaveLength(apiDoor.routes.length);
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  for (const [path, methods] of Object.entries(document.paths)) {
    const inPath = [...path.matchAll(/\{(\w+)\}/gu)].map(([, name]) => name);
    for (const { parameters } of Object.values(methods)) {
      expect(parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name)).toEqual(inPath);
    }
  }
});

// Letta's own paths are ambiguous: `/v1/folders/name/{name}` and `/v1/folders/{folder}/agents`.
test.each([
  [apiDoor, {}],
  [openAiDoor, {}],
  [lettaDoor, { "no-ambiguous-paths": "off" }],
] as const)("the document of $path has no problem for a linter", async (door, rules) => {
  const config = await createConfig({ extends: ["recommended-strict"], rules });
  const source = JSON.stringify(openApiOf(door, "1.2.3"));
  const problems = await lintFromString({ source, absoluteRef: "/openapi.json", config });
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
});

test("errors of a faulty installation are 500, all others have a status below", () => {
  const failing = Object.keys(errorCodes).filter((code) => statusOf(code as keyof typeof errorCodes) === 500);
  expect(failing).toEqual(
    words(`
      memory_type_unregistered summary_failed embedding_dimensions_mismatch store_failed store_extension_missing
      store_schema_newer store_schema_unknown data_folder_invalid
    `),
  );
});
