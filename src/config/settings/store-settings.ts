// The settings of where everything is kept, and for whom.
import type { z } from "zod";
import { apiKey, nonBlank, oneOf, orNull } from "./forms.ts";
import { type Form, setting } from "./setting.ts";

/** Of a PostgreSQL server. */
export const serverUrl: Form<z.ZodString> = {
  form: (zod) => zod.string().regex(/^postgres(ql)?:\/\/\S+$/u),
  expected: "postgres://USER@HOST/DATABASE",
};

export const storeSettings = {
  /** Where the embedded store is, and the configuration file unless another is named. */
  dataDir: setting({
    form: nonBlank,
    expected: "the path of a folder",
    default: "~/.palimpsest",
    defaultText: "`~/.palimpsest`",
    flag: {
      name: "data-dir",
      value: "FOLDER",
      help: "where everything is kept (default {default})",
      group: "store",
    },
    environment: ["PALIMPSEST_DATA_DIR"],
  }),
  /** A PostgreSQL server; null for the embedded store. */
  databaseUrl: setting({
    ...orNull(serverUrl),
    expected: `${serverUrl.expected}, or "embedded" for the embedded store`,
    default: null,
    wordForNull: "embedded",
    flag: {
      name: "database-url",
      value: "URL",
      help: "a PostgreSQL server with pgvector instead of the folder",
      group: "store",
    },
    environment: ["PALIMPSEST_DATABASE_URL", "DATABASE_URL"],
    isSecret: true,
  }),
  /** The same server as a role that may change the schema, where the one of `databaseUrl` may not. */
  migrationUrl: setting({
    ...orNull(serverUrl),
    default: null,
    environment: ["PALIMPSEST_MIGRATION_URL"],
    isSecret: true,
  }),
  /** Where contents of files are kept: `database`, `folder:PATH`, or `s3:https://HOST/BUCKET`. */
  objects: setting({
    form: (zod) => zod.string().regex(/^(?:database|folder:.*\S.*|s3:https?:\/\/[^/\s@?#]+\/[^/\s@?#]+)$/u),
    expected: "database, folder:PATH or s3:https://HOST/BUCKET",
    default: "database",
    flag: {
      name: "objects",
      value: "PLACE",
      help: "keep files in {default} (default), folder:PATH or s3:https://HOST/BUCKET",
      group: "store",
    },
    environment: ["PALIMPSEST_OBJECTS"],
  }),
  /** The region of an S3-compatible service. */
  s3Region: setting({
    form: nonBlank,
    expected: "the name of a region",
    default: "us-east-1",
    environment: ["AWS_REGION"],
  }),
  /** The name of the key for `objects` in S3. */
  s3AccessKeyId: setting({ ...apiKey, default: null, environment: ["AWS_ACCESS_KEY_ID"], isSecret: true }),
  /** The key for `objects` in S3. */
  s3SecretAccessKey: setting({ ...apiKey, default: null, environment: ["AWS_SECRET_ACCESS_KEY"], isSecret: true }),
  /** The user whose agents and memory these are. */
  userId: setting({
    form: (zod) => nonBlank(zod).max(200),
    expected: "a name of 1 to 200 characters",
    default: "local",
    flag: { name: "user", value: "NAME", help: "whose agents and memory (default {default})", group: "store" },
    environment: ["PALIMPSEST_USER"],
  }),
  /** `off`: everyone is the user of the default `userId`, and sees what everyone else has said. */
  userIsolation: setting({ ...oneOf("on", "off"), default: "on" }),
  /** `off`: agents have no archival memory to write to or search; what is in it stays. */
  archivalMemory: setting({ ...oneOf("on", "off"), default: "on" }),
  /** Where the embedded store's engine runs: in a process that outlives this one, or in a thread of this one. */
  engineHost: setting({ ...oneOf("process", "worker"), default: "process" }),
};
