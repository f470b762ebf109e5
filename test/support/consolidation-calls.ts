// What a model answers that is asked for consolidations.

import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";

const merge = { kind: "merge", reason: "Both say the same.", texts: [], module: null, evidence: [] };

/** Merges the first two passages, and the next two. */
export const twoMerges = JSON.stringify({
  operations: [
    { ...merge, targets: ["p1", "p2"], keep: "p2" },
    { ...merge, targets: ["p3", "p4"], keep: "p4" },
  ],
});

/** A model that is asked for nothing else. */
export const tidyingModel = createScriptedModel({ name: "tidier", replies: () => ({ text: twoMerges }) });
