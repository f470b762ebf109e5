// Checks that the database computes distances between vectors.
// Invariant: this check is the last, because a server that fails it may restart and drop every connection.
import type { InspectedStore } from "../../../store/port/inspection.ts";
import type { Finding } from "../../doctor.ts";
import { failed, failedBy, ok } from "./finding.ts";

const check = "distances";

export async function distanceFinding(store: InspectedStore): Promise<Finding> {
  try {
    const { kind, dimensions } = await store.probeDistance();
    switch (kind) {
      case "right":
        return ok(check, `pgvector computes distances of ${dimensions} dimensions.`);
      case "wrong":
        return failed(
          check,
          `pgvector computes wrong distances of ${dimensions} dimensions on this server.`,
          "Reinstall pgvector from a package for this server's PostgreSQL and processor.",
        );
      case "ended":
        return failed(
          check,
          `pgvector on this server was built for another processor: the server ended the connection when it computed a distance of ${dimensions} dimensions.`,
          'Install a pgvector that was built for this processor (its Makefile takes OPTFLAGS=""). Until then every search by meaning ends its connection, and may restart the server.',
        );
    }
  } catch (error) {
    return failedBy(check, error);
  }
}
