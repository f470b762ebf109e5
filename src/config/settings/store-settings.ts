// Defines the settings of the store: data folder, database, objects, user.
import type { z } from "zod";
import { apiKey, nonBlank, numberOf, oneOf, orNull, wholeNumber } from "./forms.ts";
import { flag, type Form, setting } from "./setting.ts";

/** The URL of a PostgreSQL server. */
export const serverUrl: Form<z.ZodString> = {
  form: (zod) => zod.string().regex(/^postgres(ql)?:\/\/\S+$/u),
  expected: "postgres://USER@HOST/DATABASE",
};

export const storeSettings = {
  /** The folder that contains the embedded store and, unless another file is named, the configuration file. */
  dataDir: setting({
    form: nonBlank,
    expected: "the path of a folder",
    default: "~/.palimpsest",
    defaultText: "`~/.palimpsest`",
    flag: flag("store", "data-dir", "FOLDER", "data folder (default {default})"),
    environment: ["PALIMPSEST_DATA_DIR"],
  }),
  /** The URL of a PostgreSQL server; null: the embedded store. */
  databaseUrl: setting({
    ...orNull(serverUrl),
    expected: `${serverUrl.expected}, or "embedded" for the embedded store`,
    default: null,
    wordForNull: "embedded",
    flag: flag("store", "database-url", "URL", "a PostgreSQL server with pgvector instead of the folder"),
    environment: ["PALIMPSEST_DATABASE_URL", "DATABASE_URL"],
    isSecret: true,
  }),
  /** The URL of the server in `databaseUrl` with a role that may change the schema; null: the role in `databaseUrl` may. */
  migrationUrl: setting({
    ...orNull(serverUrl),
    default: null,
    environment: ["PALIMPSEST_MIGRATION_URL"],
    isSecret: true,
  }),
  /** Maximum number of connections to the server in `databaseUrl`. */
  maxConnections: setting({ ...wholeNumber(1, 1000), default: 10, environment: ["PALIMPSEST_MAX_CONNECTIONS"] }),
  /** Seconds after which an idle connection to the server in `databaseUrl` is closed. */
  idleConnectionSeconds: setting({
    ...numberOf("seconds", 1, 86_400),
    default: 300,
    environment: ["PALIMPSEST_IDLE_CONNECTION_SECONDS"],
  }),
  /**
   * Seconds after which a PostgreSQL server cancels a statement of a user; null: never. Migrations, backups and `optimize` have
   * no limit.
   */
  maxStatementSeconds: setting({
    form: (zod) => zod.number().min(0.1).max(86_400).nullable(),
    expected: 'a number of seconds from 0.1 to 86400, or "never"',
    default: 60,
    wordForNull: "never",
    environment: ["PALIMPSEST_MAX_STATEMENT_SECONDS"],
  }),
  /** `off`: no prepared statement has a name; some transaction poolers in front of a server do not support names. */
  preparedStatements: setting({
    ...oneOf("on", "off"),
    default: "on",
    environment: ["PALIMPSEST_PREPARED_STATEMENTS"],
  }),
  /** Where the contents of files are stored: `database`, `folder:/PATH`, or `s3:https://HOST/BUCKET`. */
  objects: setting({
    form: (zod) => zod.string().regex(/^(?:database|folder:.*\S.*|s3:https?:\/\/[^/\s@?#]+\/[^/\s@?#]+)$/u),
    expected: "database, folder:/PATH or s3:https://HOST/BUCKET",
    default: "database",
    flag: flag(
      "store",
      "objects",
      "PLACE",
      "store files in {default} (default), folder:/PATH or s3:https://HOST/BUCKET",
    ),
    environment: ["PALIMPSEST_OBJECTS"],
  }),
  /** The region of the S3-compatible service in `objects`. */
  s3Region: setting({
    form: nonBlank,
    expected: "the name of a region",
    default: "us-east-1",
    environment: ["AWS_REGION"],
  }),
  /** The access key id for the S3-compatible service in `objects`. */
  s3AccessKeyId: setting({ ...apiKey, default: null, environment: ["AWS_ACCESS_KEY_ID"], isSecret: true }),
  /** The secret access key for the S3-compatible service in `objects`. */
  s3SecretAccessKey: setting({ ...apiKey, default: null, environment: ["AWS_SECRET_ACCESS_KEY"], isSecret: true }),
  /** The user who owns the agents and their memory. */
  userId: setting({
    form: (zod) => nonBlank(zod).max(200),
    expected: "a name of 1 to 200 characters",
    default: "local",
    flag: flag("store", "user", "NAME", "owner of agents and memory (default {default})"),
    environment: ["PALIMPSEST_USER"],
  }),
  /** `off`: all callers act as one user, the one with the default `userId`, and can read each other's conversations. */
  userIsolation: setting({ ...oneOf("on", "off"), default: "on" }),
  /** `off`: agents can neither write to archival memory nor search it; its passages stay. */
  archivalMemory: setting({ ...oneOf("on", "off"), default: "on" }),
  /** Where the embedded engine runs. `process`: in a process of its own that outlives this one; `worker`: in a thread. */
  engineHost: setting({ ...oneOf("process", "worker"), default: "process" }),
};
