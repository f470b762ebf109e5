// Turns as records, of which there are none.
import { RequestError } from "../../src/base/errors.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";

const none = async (): Promise<never> => {
  throw new RequestError("turn_not_found", "The fake has no turns.");
};

export const fakeTurns: Runtime["turns"] = {
  list: async () => [],
  find: none,
  findByKey: async () => null,
  annotate: none,
  messages: none,
  steps: none,
  stepsOfAgent: none,
  findStep: none,
  async *events() {},
};
