// The package's migrations with every table partitioned by a hash of `user_id`, for tests of the schema's readiness for distribution.
// Invariant: only the creation of tables differs; a table that cannot be rewritten is an error.
import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { packageMigrations } from "../../src/store/embedded/migration-journal.ts";

/** Writes the rewritten migrations to a new folder, which the caller removes. */
export function writePartitionedMigrations(parts: number): string {
  const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-partitioned-"));
  cpSync(packageMigrations(), folder, { recursive: true });
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".sql"))) {
    const file = path.join(folder, name);
    writeFileSync(file, partitioned(readFileSync(file, "utf8"), parts));
  }
  return folder;
}

/** Returns the migration with partitions for its tables, and for those that `ensure_vector_tables` creates. */
export function partitioned(sql: string, parts: number): string {
  let count = 0;
  const rewritten = sql
    .replaceAll(/^CREATE TABLE "(\w+)" (\([\s\S]*?\n\));/gmu, (_statement, table: string, columns: string) => {
      count += 1;
      return `CREATE TABLE "${table}" ${columns} PARTITION BY HASH (user_id);\n${partitionsOf(table, parts)}`;
    })
    .replace(vectorTable, (_statement, create: string, end: string, next: string) => {
      count += 1;
      return `${create} PARTITION BY HASH (user_id)'${end}${vectorPartitions(parts)}${next}`;
    });
  const expected = sql.match(/CREATE TABLE /gu)?.length ?? 0;
  if (count !== expected) throw new RangeError(`Expected to partition ${expected} tables, got ${count}.`);
  return rewritten;
}

/** The statement of `ensure_vector_tables` that creates a table, and the start of the next. */
const vectorTable =
  /('CREATE TABLE %1\$I\.%2\$I \([\s\S]*?\n {6}\))'([\s\S]*?\n {4}\);\n)( {4}EXECUTE format\(\n {6}'ALTER TABLE)/u;

function partitionsOf(table: string, parts: number): string {
  return Array.from({ length: parts }, (_, part) => {
    return `--> statement-breakpoint\nCREATE TABLE "${table}_p${part}" PARTITION OF "${table}" FOR VALUES WITH (MODULUS ${parts}, REMAINDER ${part});`;
  }).join("\n");
}

function vectorPartitions(parts: number): string {
  return `    FOR part IN 0..${parts - 1} LOOP
      EXECUTE format(
        'CREATE TABLE %1$I.%2$I PARTITION OF %1$I.%3$I FOR VALUES WITH (MODULUS ${parts}, REMAINDER %4$s)', home,
        made.items || '_' || width || '_p' || part, made.items || '_' || width, part
      );
    END LOOP;
`;
}
