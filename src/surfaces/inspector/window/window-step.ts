// A model call of a conversation, and the conversation's current window, as `/api` returns them.
import type { CallResult } from "../../client/api-types.ts";

export type WindowStep = CallResult<"GET /agents/:agent/conversations/:conversation/steps">[number];

export type WindowNow = CallResult<"GET /agents/:agent/conversations/:conversation/window">;
