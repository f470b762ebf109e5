// Returns the calibration of a model, from the usage that its provider reported for the user's newest calls.
// Invariant: only reads; a model without calls has the factor 1.
import { type Calibration, calibrationSamples, createCalibration } from "../../../model/tokens/token-scale.ts";
import type { OperationDeps } from "../operation-deps.ts";

/** Reads the newest samples of the model, from calls of any agent. */
export async function calibrationOf({ store }: Pick<OperationDeps, "store">, model: string): Promise<Calibration> {
  return createCalibration(await store.steps.usageSamples(model, calibrationSamples));
}
