// Creates, changes, lists and deletes simple records, such as identities.
// Invariant: the lengths of texts are checked before anything is written.
import type { Form } from "../../base/arguments/forms.ts";
import { codePointLength, describeText } from "../../base/code-points.ts";
import { RequestError } from "../../base/errors.ts";
import { given } from "../../base/given.ts";
import type { ListRange } from "../../store/port/page.ts";
import { recordKinds, type RecordStores } from "../../store/port/record-kinds.ts";
import type { RecordKind, RecordStore } from "../../store/port/record-store.ts";
import type { OperationGroups } from "../contracts.ts";
import { type InputChecks, inputChecks } from "./input-checks.ts";
import type { OperationDeps } from "./operation-deps.ts";

type Values = Readonly<Record<string, unknown>>;
type RecordOperations = Pick<OperationGroups, keyof RecordStores>;
type Deps = Pick<OperationDeps, "store" | "ids" | "clock">;

const maxText = 1000;
const defaultListing = 100;

/** Returns the operations on all kinds of simple records. */
export function createRecordOperations(deps: Deps): RecordOperations {
  const groups = Object.entries(recordKinds).map(([group, kind]) => [
    group,
    operationsOn(deps, kind, group as keyof RecordStores),
  ]);
  // The cast is sound: the options of an operation are checked by its contract, and the fields of a kind are those of its store.
  return Object.fromEntries(groups) as RecordOperations;
}

function operationsOn({ store, ids, clock }: Deps, kind: RecordKind, group: keyof RecordStores) {
  const records = store[group] as object as RecordStore<Values>;
  const noun = kind.one.replace(/^an? /u, "");
  const check = inputChecks(`${kind.one.slice(0, 1).toUpperCase()}${kind.one.slice(1)}`);
  const required = <Found>(found: Found | null | false): Found => {
    if (found !== null && found !== false) return found;
    const text = `There is no such ${noun} for this user. \`runtime.${group}.list()\` lists the ${group}.`;
    throw new RequestError(kind.notFound, text);
  };
  return {
    create: async ({ id, ...options }: Values & { readonly id?: string }) => {
      const fields = { ...kind.defaults, ...given(options) };
      requireValid(check, kind, fields);
      const made = { ...fields, id: id === undefined ? ids.next() : check.id(id), createdAt: clock.now() };
      await records.create(made);
      return made;
    },
    find: async (id: string) => required(await records.find(id)),
    list: async (options: Partial<ListRange> = {}) => {
      check.range(options);
      return records.list({ order: "newest", limit: defaultListing, ...options });
    },
    count: () => records.count(),
    update: async (id: string, change: Values) => {
      requireValid(check, kind, change);
      return required(await records.update(id, change));
    },
    delete: async (id: string): Promise<void> => {
      required(await records.delete(id));
    },
  };
}

function requireValid(check: InputChecks, { fields }: RecordKind, values: Values): void {
  for (const [field, { kind }] of Object.entries<Form<unknown>>(fields)) {
    const value = values[field];
    if (value === undefined || value === null) continue;
    if (typeof value === "object" && kind !== "moment") check.json(field, { [field]: value });
    if (kind !== "text" || typeof value !== "string") continue;
    if (value.trim() === "" || codePointLength(value) > maxText)
      throw check.invalid(field, `a text of 1 to ${maxText} characters`, describeText(value));
  }
}
