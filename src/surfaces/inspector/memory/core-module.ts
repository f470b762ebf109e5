// Type of a module of core memory, as `/api` returns it.
import type { CallResult } from "../../client/api-types.ts";

export type CoreModule = CallResult<"GET /agents/:agent/modules">[number];
