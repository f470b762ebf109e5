// Forgetting in a program that keeps what its user has typed: the input history in the data folder is searched, too.
// Invariant: the history is changed only after the content is gone from the store.
import { createRedactor } from "../../../base/redactor.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { forgetInputs } from "./input-history-file.ts";

/** Returns the runtime's operations; `apply` also removes inputs from the history of the user in this data folder. */
export function forgetWithInputs(
  { forget, userId }: Pick<Runtime, "forget" | "userId">,
  dataDir: string,
): Runtime["forget"] {
  return {
    ...forget,
    async apply(request, options) {
      const forgotten = await forget.apply(request, options);
      const redactor = createRedactor(forgotten.texts);
      await forgetInputs(dataDir, userId, (input) => redactor.has(input));
      return forgotten;
    },
  };
}
