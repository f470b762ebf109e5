// The route of `/api` that loads a file into a source.
import * as z from "zod";
import { loadedFields } from "../../../runtime/sources/contract.ts";
import { Fault } from "../fault.ts";
import { route, type Route } from "../route.ts";
import { recordShape } from "./form-shapes.ts";

export const sourceRoutes = [
  route({
    method: "post",
    path: "/sources/:source/files",
    summary: "Load a file into a source",
    scope: "admin",
    params: z.strictObject({ source: z.string().describe("The name or the id of a source.") }),
    isForm: true,
    body: z.strictObject({ file: z.file(), name: z.string().optional() }),
    status: 201,
    output: recordShape(loadedFields),
    run: async ({ runtime, params, body: { file, name } }) => {
      const { id } = await runtime.sources.show(params.source);
      const loaded = await runtime.sources.load(id, [{ name: name ?? file.name, data: file }]);
      const [failed] = loaded.failed;
      if (failed === undefined) return loaded;
      throw new Fault(422, "source_file_unreadable", `The file ${failed.name} cannot be read: ${failed.reason}.`);
    },
  }),
] as const satisfies readonly Route[];
