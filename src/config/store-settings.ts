// The settings of where everything is kept, and for whom.
// Invariant: the three tables have the same keys, those of StoreConfig; the compiler compares them.
import { z } from "zod";
import { nonBlank, type Setting } from "./setting-forms.ts";

export interface StoreConfig {
  /** A PostgreSQL server; null for the embedded store. */
  readonly databaseUrl: string | null;
  /** The same server as a role that may change the schema, where the one of `databaseUrl` may not. */
  readonly migrationUrl: string | null;
  readonly userId: string;
  /** `off`: everyone is the user of the default `userId`, and sees what everyone else has said. */
  readonly userIsolation: "on" | "off";
  /** `off`: agents have no archival memory to write to or search; what is in it stays. */
  readonly archivalMemory: "on" | "off";
  /** Where contents of files are kept: `database`, `folder:PATH`, or `s3:https://HOST/BUCKET`. */
  readonly objects: string;
  readonly s3Region: string;
  readonly s3AccessKeyId: string | null;
  readonly s3SecretAccessKey: string | null;
  /** Where the embedded store's engine runs: in a process that outlives this one, or in a thread of this one. */
  readonly engineHost: "process" | "worker";
}

export const storeDefaults: StoreConfig = {
  databaseUrl: null,
  migrationUrl: null,
  userId: "local",
  userIsolation: "on",
  archivalMemory: "on",
  objects: "database",
  s3Region: "us-east-1",
  s3AccessKeyId: null,
  s3SecretAccessKey: null,
  engineHost: "process",
};

/** Of a PostgreSQL server. */
export const serverUrl = z.string().regex(/^postgres(ql)?:\/\/\S+$/u);
const onOrOff = z.enum(["on", "off"]);

export const storeShape = {
  databaseUrl: serverUrl.nullable(),
  migrationUrl: serverUrl.nullable(),
  userId: nonBlank.max(200),
  userIsolation: onOrOff,
  archivalMemory: onOrOff,
  objects: z.string().regex(/^(?:database|folder:.*\S.*|s3:https?:\/\/[^/\s@?#]+\/[^/\s@?#]+)$/u),
  s3Region: nonBlank,
  s3AccessKeyId: nonBlank.nullable(),
  s3SecretAccessKey: nonBlank.nullable(),
  engineHost: z.enum(["process", "worker"]),
} satisfies { readonly [Key in keyof StoreConfig]: z.ZodType<StoreConfig[Key]> };

export const storeSettings: { readonly [Key in keyof StoreConfig]: Setting } = {
  databaseUrl: {
    expected: 'postgres://USER@HOST/DATABASE, or "embedded" for the embedded store',
    flag: "database-url",
    environment: ["PALIMPSEST_DATABASE_URL", "DATABASE_URL"],
    isSecret: true,
  },
  migrationUrl: {
    expected: "postgres://USER@HOST/DATABASE",
    environment: ["PALIMPSEST_MIGRATION_URL"],
    isSecret: true,
  },
  userId: { expected: "a name of 1 to 200 characters", flag: "user", environment: ["PALIMPSEST_USER"] },
  userIsolation: { expected: '"on" or "off"' },
  archivalMemory: { expected: '"on" or "off"' },
  objects: {
    expected: "database, folder:PATH or s3:https://HOST/BUCKET",
    flag: "objects",
    environment: ["PALIMPSEST_OBJECTS"],
  },
  s3Region: { expected: "the name of a region", environment: ["AWS_REGION"] },
  s3AccessKeyId: { expected: "a key", environment: ["AWS_ACCESS_KEY_ID"], isSecret: true },
  s3SecretAccessKey: { expected: "a key", environment: ["AWS_SECRET_ACCESS_KEY"], isSecret: true },
  engineHost: { expected: '"process" or "worker"' },
};
