// Parameters of Letta's API that this server does not have and that would change what a request gets or does.
// Invariant: none of them is ignored in silence, because an ignored filter returns what the client did not ask for.
import * as z from "zod";

/** Accepts an absent parameter and null. */
export const unserved = z.null({ error: "Expected nothing: this server does not have this parameter." }).optional();
