// The route of `/api` that imports files exported by other programs.
import * as z from "zod";
import { importReportFields } from "../../../runtime/imports/contract.ts";
import { route, type Route } from "../route.ts";
import { recordShape } from "./form-shapes.ts";
import { agentPath } from "./parameters.ts";

export const importRoutes = [
  route({
    method: "post",
    path: "/agents/:agent/imports",
    summary: "Import a JSON file of ChatGPT, Claude or mem0 into recall and the archive",
    scope: "admin",
    params: agentPath,
    isForm: true,
    body: z.strictObject({
      file: z.file(),
      form: z.enum(["chatgpt", "claude", "mem0"]).describe("The program that wrote the file."),
      dryRun: z.enum(["true", "false"]).describe("`true`: count, and store nothing.").optional(),
    }),
    output: recordShape(importReportFields),
    run: ({ runtime, params, body: { file, form, dryRun }, signal }) =>
      runtime.imports.run(params.agent, file.stream(), { form, dryRun: dryRun === "true", signal }),
  }),
] as const satisfies readonly Route[];
