// Operations on identities: creates, changes, lists and deletes them.
// Invariant: texts are within their limits before anything is written.
import { codePointLength, describeText } from "../../base/code-points.ts";
import { RequestError } from "../../base/errors.ts";
import type { Identity, IdentityChange } from "../../store/port/identity-store.ts";
import type { IdentityOperations } from "./contract.ts";
import { inputChecks } from "../operations/input-checks.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";

const check = inputChecks("An identity");
const maxText = 1000;
const defaultListing = 100;

export function createIdentityOperations({
  store,
  ids,
  clock,
}: Pick<OperationDeps, "store" | "ids" | "clock">): IdentityOperations {
  const { identities } = store;
  return {
    create: async ({ id, kind = "user", properties = [], ...named }) => {
      const fields = { kind, properties, ...named };
      requireValid(fields);
      const made = { ...fields, id: id === undefined ? ids.next() : check.id(id), createdAt: clock.now() };
      await identities.create(made);
      return made;
    },
    find: async (id) => required(await identities.find(id)),
    list: async (options = {}) => {
      check.range(options);
      return identities.list({ order: "newest", limit: defaultListing, ...options });
    },
    count: () => identities.count(),
    update: async (id, change) => {
      requireValid(change);
      return required(await identities.update(id, change));
    },
    delete: async (id) => {
      if (!(await identities.delete(id))) throw unknown();
    },
  };
}

function requireValid({ key, name, properties }: IdentityChange): void {
  for (const [field, text] of Object.entries({ key, name }))
    if (text !== undefined && (text.trim() === "" || codePointLength(text) > maxText))
      throw check.invalid(field, `a text of 1 to ${maxText} characters`, describeText(text));
  if (properties !== undefined) check.json("properties", { properties });
}

function required(identity: Identity | null): Identity {
  if (identity === null) throw unknown();
  return identity;
}

function unknown(): RequestError {
  return new RequestError(
    "identity_not_found",
    "There is no such identity for this user. `runtime.identities.list()` lists the identities.",
  );
}
