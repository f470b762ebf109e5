// Computes distances of 512 dimensions on the server, as searches do.
// Invariant: a probe that crashes its backend costs only its own connection, is not retried, and returns a result.
import type { DistanceProbe } from "../../memory/inspection.ts";
import type { DatabaseConnection } from "../connection/database-client.ts";
import { openDatabase } from "../connection/database.ts";
import { sqlStateOf } from "../connection/database-error.ts";

const dimensions = 512;

// A pgvector built for another processor fails only at wide vectors: widths up to 16 use other instructions.
const computeDistances = `
select (a <=> b)::float8 as cosine, (a <#> b)::float8 as product, (a <-> b)::float8 as euclidean
from (select array_fill(3::real, array[${dimensions}])::vector as a, array_fill(2::real, array[${dimensions}])::vector as b) v`;

interface Distances {
  readonly cosine: number;
  readonly product: number;
  readonly euclidean: number;
}

const expected: Distances = { cosine: 0, product: -6 * dimensions, euclidean: Math.sqrt(dimensions) };

/** Throws StoreError if the database cannot be queried at all. */
export async function probeDistance(connection: DatabaseConnection): Promise<DistanceProbe> {
  const database = await openDatabase({ connection });
  let isAsked = false;
  try {
    const distances = await database.ownerTransaction(async (tx) => {
      // A transaction that has begun is not retried on another connection.
      await tx.run("select 1", []);
      isAsked = true;
      const [row] = await tx.run<Distances>(computeDistances, []);
      return row!;
    });
    return { kind: isNear(distances) ? "right" : "wrong", dimensions };
  } catch (error) {
    if (isAsked && backendEndCodes.has(sqlStateOf(error) ?? "")) return { kind: "ended", dimensions };
    throw error;
  } finally {
    await database.close();
  }
}

// Codes of a backend that was terminated, or of its lost connection.
const backendEndCodes = new Set(["57P01", "57P02", "CONNECTION_CLOSED", "CONNECTION_DESTROYED", "ECONNRESET", "EPIPE"]);

function isNear(distances: Distances): boolean {
  return (["cosine", "product", "euclidean"] as const).every(
    (name) => Math.abs(distances[name] - expected[name]) < 1e-3,
  );
}
