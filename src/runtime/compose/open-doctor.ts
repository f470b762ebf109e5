// Creates a doctor from a configuration, with the parts of a runtime but without a runtime.
// Invariant: the store may be in any state; nothing is opened before a check begins.
import { systemClock } from "../../base/clock.ts";
import { createIds } from "../../base/ids.ts";
import type { ConfigurationFacts } from "../../config/settings/configuration-facts.ts";
import type { Config } from "../../config/settings.ts";
import { createDoctor } from "../doctor/create-doctor.ts";
import type { Doctor } from "../doctor/contract.ts";
import { createModels } from "./create-models.ts";
import { openModelProfiles } from "./profiled-model.ts";
import { openEmbedders } from "./open-embedders.ts";
import { openObjectsListing } from "./open-objects.ts";
import { connectionOf } from "./store-connection.ts";

export interface OpenDoctorOptions {
  readonly config: Config;
  readonly configuration: ConfigurationFacts;
  readonly log: (line: string) => void;
}

/** Returns a doctor for this configuration; `close` ends the threads of its embedders and frees its models. */
export async function openDoctor({
  config,
  configuration,
  log,
}: OpenDoctorOptions): Promise<Doctor & { close(): Promise<void> }> {
  const { createStoreInspector } = await import("../../store/inspection/create-store-inspector.ts");
  const migration = config.migrationUrl === null ? {} : { migrationUrl: config.migrationUrl };
  // Embedders log nothing here, because a finding says whether the embedder works.
  const parts = { own: undefined, further: [], clock: systemClock, log: () => undefined };
  const embedders = await openEmbedders(config, parts);
  const profiles = await openModelProfiles(config.dataDir, log);
  const models = createModels(config, { own: [], profiles, clock: systemClock, ids: createIds(), log });
  const doctor = createDoctor({
    inspector: createStoreInspector({ connection: connectionOf(config), ...migration, log }),
    configuration,
    userId: config.userId,
    model: config.model,
    assist: config.assist,
    baseUrl: config.baseUrl,
    resolveModel: models.resolve,
    embedders,
    openListing: () => openObjectsListing(config),
    nodeVersion: process.versions.node,
    log,
  });
  return {
    ...doctor,
    async close() {
      await embedders.close();
      await models.close();
    },
  };
}
