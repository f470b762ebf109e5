// What a model answers that is asked for consolidations.

const merge = { kind: "merge", reason: "", texts: [], module: null, evidence: [] };

/** Merges the first two passages, and the next two. */
export const twoMerges = JSON.stringify({
  operations: [
    { ...merge, targets: ["p1", "p2"], keep: "p2" },
    { ...merge, targets: ["p3", "p4"], keep: "p4" },
  ],
});
