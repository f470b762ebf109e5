// Every function of a user's stores for simple records, called by somebody else with this user's ids.
import type { UserStore } from "../../src/store/port/store.ts";
import { recordKinds, type RecordStores } from "../../src/store/port/record-kinds.ts";
import type { RecordKind } from "../../src/store/port/record-store.ts";
import type { PortCase } from "./isolation-source-cases.ts";
import { secret } from "./isolation-scene.ts";
import { newRecord, recordsOf } from "./new-record.ts";

const page = { order: "newest", limit: 10 } as const;

function casesOf(group: keyof RecordStores, kind: RecordKind): Readonly<Record<string, PortCase>> {
  const store = (user: UserStore) => recordsOf(user, group);
  // The id and the values of unique fields are taken by another user's record, and free for this one.
  const taken = Object.fromEntries(kind.unique.map((field) => [field, secret]));
  return {
    [`${group}.create`]: [
      async (user, of) => {
        await store(user).create({ ...newRecord(kind, "intrusion"), ...taken, id: of.recordIds[group] });
        return user[group].delete(of.recordIds[group]);
      },
      true,
    ],
    [`${group}.find`]: [(user, of) => user[group].find(of.recordIds[group]), null],
    [`${group}.list`]: [
      async (user) => [
        ...(await user[group].list(page)),
        ...("name" in kind.fields ? await user[group].list({ ...page, name: secret }) : []),
      ],
      [],
    ],
    [`${group}.count`]: [(user) => user[group].count(), 0],
    [`${group}.update`]: [(user, of) => store(user).update(of.recordIds[group], newRecord(kind, "intrusion")), null],
    [`${group}.delete`]: [(user, of) => user[group].delete(of.recordIds[group]), false],
  };
}

export const recordCases: Readonly<Record<string, PortCase>> = Object.assign(
  {},
  ...Object.entries(recordKinds).map(([group, kind]) => casesOf(group as keyof RecordStores, kind)),
);
