// Tests pgvector: sends vectors of 512 dimensions to the server as searches do, reads one back and computes distances.
// Invariant: a probe that crashes the server's backend loses only its own connection, is not retried, and returns `ended`.
import type { DistanceProbe } from "../port/inspection.ts";
import type { DatabaseConnection } from "../connection/database-client.ts";
import { openDatabase } from "../connection/database.ts";
import { sqlStateOf } from "../connection/database-error.ts";
import { vectorOf, vectorText } from "../vectors/vector-text.ts";

const dimensions = 512;

// A pgvector that was built for another processor fails only above 16 dimensions, where it uses vector instructions.
const computeDistances = `
select a::text as written, (a <=> b)::float8 as cosine, (a <#> b)::float8 as product, (a <-> b)::float8 as euclidean
from (select $1::text::vector as a, $2::text::vector as b) v`;

interface Distances {
  readonly cosine: number;
  readonly product: number;
  readonly euclidean: number;
}

const thirds = Array.from({ length: dimensions }, () => 1 / 3);
const halves = Array.from({ length: dimensions }, () => 1 / 2);
const expected: Distances = { cosine: 0, product: -dimensions / 6, euclidean: Math.sqrt(dimensions) / 6 };

/** Returns whether the database computes right or wrong distances, or ends. Throws StoreError if it cannot be queried. */
export async function probeDistance(connection: DatabaseConnection): Promise<DistanceProbe> {
  const database = await openDatabase({ connection });
  let isAsked = false;
  try {
    const distances = await database.ownerTransaction(async (tx) => {
      // Begins the transaction with a harmless statement: if the connection is lost later, no retry sends the vectors again.
      await tx.run("select 1", []);
      isAsked = true;
      const vectors = [vectorText(thirds, dimensions), vectorText(halves, dimensions)];
      const [row] = await tx.run<Distances & { readonly written: string }>(computeDistances, vectors);
      return row!;
    });
    return { kind: isRight(distances) ? "right" : "wrong", dimensions };
  } catch (error) {
    if (isAsked && backendEndCodes.has(sqlStateOf(error) ?? "")) return { kind: "ended", dimensions };
    throw error;
  } finally {
    await database.close();
  }
}

// SQLSTATE codes of a terminated backend, and the driver's codes of a lost connection.
const backendEndCodes = new Set(["57P01", "57P02", "CONNECTION_CLOSED", "CONNECTION_DESTROYED", "ECONNRESET", "EPIPE"]);

function isRight({ written, ...distances }: Distances & { readonly written: string }): boolean {
  const isNear = (["cosine", "product", "euclidean"] as const).every(
    (name) => Math.abs(distances[name] - expected[name]) < 1e-3,
  );
  const read = vectorOf(written).map(Math.fround);
  return isNear && read.length === dimensions && read.every((number) => number === Math.fround(1 / 3));
}
