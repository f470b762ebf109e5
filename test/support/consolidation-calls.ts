// Calls the routes of consolidations, with a model that answers `twoMerges`.

const merge = { kind: "merge", reason: "", texts: [], module: null, evidence: [] };

/** Merges the first two passages, and the next two. */
export const twoMerges = JSON.stringify({
  operations: [
    { ...merge, targets: ["p1", "p2"], keep: "p2" },
    { ...merge, targets: ["p3", "p4"], keep: "p4" },
  ],
});

type Call = (method: string, path: string, body?: unknown) => Promise<{ readonly id: string }>;

export async function callConsolidations(call: Call): Promise<void> {
  await call("POST", "/api/agents", { name: "tidy" });
  const agent = "/api/agents/tidy";
  for (const text of ["Boats float", "Boats float on water", "Tea is hot", "Tea is hot and green"])
    await call("POST", `${agent}/archive`, { text });
  const { id } = await call("POST", `${agent}/consolidations`, {});
  expect(await call("POST", `${agent}/consolidations`, {})).toBeNull();
  expect(await call("GET", `${agent}/consolidations`)).toMatchObject([{ id, status: "proposed" }]);
  const run = `/api/consolidations/${id}`;
  await call("POST", `${run}/apply`, { operations: [1] });
  await call("POST", `${run}/reject`, {});
  expect(await call("GET", run)).toMatchObject({ operations: [{ status: "applied" }, { status: "rejected" }] });
  expect(await call("POST", `${run}/undo`, {})).toMatchObject({ status: "undone" });
  await call("DELETE", agent);
}
