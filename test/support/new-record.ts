// Makes simple records of every kind, whose texts all are the given one.
import type { ChoiceForm, Form } from "../../src/base/arguments/forms.ts";
import { recordKinds, type RecordStores } from "../../src/store/port/record-kinds.ts";
import type { RecordKind, RecordStore } from "../../src/store/port/record-store.ts";
import type { UserStore } from "../../src/store/port/store.ts";
import { ids } from "./store-builders.ts";

type AnyRecord = Readonly<Record<string, unknown>>;

export function newRecord({ fields, unique }: RecordKind, text: string): AnyRecord {
  const id = ids.next();
  const values = Object.entries(fields).map(([name, form]) => {
    if (name === "id") return [name, id];
    return [name, valueOf(form, unique.includes(name) ? `${text} ${id}` : text)];
  });
  return Object.fromEntries(values) as AnyRecord;
}

function valueOf(form: Form<unknown>, text: string): unknown {
  switch (form.kind) {
    case "choice":
      return (form as ChoiceForm<string>).values[0];
    case "flag":
      return false;
    case "moment":
      return new Date();
    case "count":
      return 1;
    case "objects":
      return [{ key: text, type: "string", value: text }];
    default:
      return text;
  }
}

export function recordsOf(user: UserStore, group: keyof RecordStores): RecordStore<AnyRecord> {
  return user[group] as object as RecordStore<AnyRecord>;
}

/** Creates a record of each kind, and returns the ids. */
export async function fillRecords(user: UserStore, text: string): Promise<Record<keyof RecordStores, string>> {
  const made: Record<string, unknown> = {};
  for (const [group, kind] of Object.entries(recordKinds)) {
    const record = newRecord(kind, text);
    await recordsOf(user, group as keyof RecordStores).create(record);
    made[group] = record["id"];
  }
  return made as Record<keyof RecordStores, string>;
}
