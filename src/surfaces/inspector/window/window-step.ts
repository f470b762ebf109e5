// A model call of a conversation as `/api` returns it.
import type { CallResult } from "../../client/api-types.ts";

export type WindowStep = CallResult<"GET /agents/:agent/conversations/:conversation/steps">[number];

export type WindowNow = CallResult<"GET /agents/:agent/conversations/:conversation/window">;
