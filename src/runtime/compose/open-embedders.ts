// Opens the configured embedders and the program's own for a runtime: each once, with a cache and protection against outages.
// Invariant: the settings of one model do not apply to another; open embedders are closed with the runtime.
import type { Clock } from "../../base/clock.ts";
import { takeCodePoints } from "../../base/code-points.ts";
import { messageOf } from "../../base/thrown-values.ts";
import { embeddingSettings } from "../../config/settings/embedding-settings.ts";
import { shape } from "../../config/shape.ts";
import type { Embedder, GuardedEmbedder } from "../../model/embedding/embedder.ts";
import { ConfigError } from "../../base/errors.ts";
import type { VectorKind } from "../../store/port/embedder-store.ts";
import { type Embedders, isSameKind, type OpenEmbedder } from "../../memory/vectors/embedders.ts";
import { createRefusedTexts } from "../../memory/vectors/refused-texts.ts";
import { kindOf } from "../../memory/vectors/unembedded.ts";
import { type EmbedderConfig, openEmbedder } from "./open-embedder.ts";

export interface EmbeddersDeps {
  /** The program's embedder, which replaces the configured one; null: texts are not embedded. */
  readonly own: Embedder | null | undefined;
  /** Further embedders of the program. They take precedence over configured models of the same name. */
  readonly further: readonly Embedder[];
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

/** Returns the embedders of a runtime. Throws ConfigError if a setting for the default embedder is missing. */
export async function openEmbedders(config: EmbedderConfig, deps: EmbeddersDeps): Promise<Embedders> {
  const { own, further, log } = deps;
  const opened = new Map<string, Promise<OpenEmbedder>>();
  const unreported = new Set<string>();
  const known = [own ?? null, ...further].flatMap((embedder) => embedder ?? []);
  const unopened = new Set(further);
  const defaultEmbedder = withRefusals(await openEmbedder(config, deps), log);

  /** Opens an embedder once. A failure is remembered too, because the settings do not change while the runtime is open. */
  function open({ name, dimensions, isStored }: WantedEmbedder): Promise<OpenEmbedder> {
    if (defaultEmbedder !== null) {
      const isChosen = !isStored && own === undefined && name === config.embedding;
      const wanted = isChosen ? defaultEmbedder.embedder.name : name;
      if (isNamed(defaultEmbedder.embedder, wanted, dimensions)) return Promise.resolve(defaultEmbedder);
    }
    const key = keyOf({ name, dimensions, isStored });
    const begun = opened.get(key) ?? openOther({ name, dimensions, isStored });
    opened.set(key, begun);
    return begun;
  }

  async function openOther({ name, dimensions, isStored }: WantedEmbedder): Promise<OpenEmbedder> {
    const named = known.filter((embedder) => embedder.name === name);
    const found = named.find((embedder) => isNamed(embedder, name, dimensions));
    if (named.length > 0 && found === undefined) throw unknownEmbedder(name, { known, dimensions });
    const settings = { ...settingsFor(config, name, dimensions), isStoredName: isStored };
    const other = withRefusals(await openEmbedder(settings, { ...deps, own: found }), log);
    if (other === null) throw unknownEmbedder(name, { known, dimensions });
    if (found !== undefined) unopened.delete(found);
    if (dimensions === undefined || other.embedder.dimensions === dimensions) return other;
    await other.embedder.close();
    throw widthError(other.embedder, dimensions);
  }

  async function find(kind: VectorKind): Promise<OpenEmbedder | null> {
    if (defaultEmbedder === null) return null;
    try {
      return await open({ name: kind.embedder, dimensions: kind.dimensions, isStored: true });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const key = `${kind.dimensions} ${kind.embedder}`;
      if (!unreported.has(key)) {
        log(`Searches that need the embedder ${kind.embedder} compare only words in this process: ${messageOf(error)}`);
      }
      unreported.add(key);
      return null;
    }
  }

  return {
    default: defaultEmbedder,
    find,
    async open(name, dimensions) {
      const other = await open({ name, dimensions, isStored: false });
      // The embedder is also remembered by the name and dimensions of its vectors, which `find` looks up.
      opened.set(keyOf({ ...kindNamed(other), isStored: true }), Promise.resolve(other));
      return other;
    },
    async close() {
      const others = await Promise.allSettled(opened.values());
      const all = new Set(others.flatMap((other) => (other.status === "fulfilled" ? [other.value.embedder] : [])));
      if (defaultEmbedder !== null) all.add(defaultEmbedder.embedder);
      for (const embedder of [...all, ...unopened]) await embedder.close();
    },
  };
}

interface WantedEmbedder {
  readonly name: string;
  readonly dimensions: number | undefined;
  /** Whether `name` comes from stored vectors; false for a name that a user has chosen. */
  readonly isStored: boolean;
}

function keyOf({ name, dimensions, isStored }: WantedEmbedder): string {
  return `${isStored ? "stored" : "chosen"} ${dimensions ?? ""} ${name}`;
}

function kindNamed({ embedder: { name, dimensions } }: OpenEmbedder) {
  return { name, dimensions };
}

function withRefusals(embedder: GuardedEmbedder | null, log: (line: string) => void): OpenEmbedder | null {
  return embedder === null ? null : { embedder, refused: createRefusedTexts((error) => log(error.message)) };
}

function isNamed(embedder: Embedder, name: string, dimensions: number | undefined): boolean {
  if (dimensions === undefined) return embedder.name === name;
  return isSameKind(kindOf(embedder), { embedder: name, dimensions });
}

/**
 * Returns the settings for a model. The server and the key apply to all models; dimensions, window and similarity floor only to
 * the configured model.
 */
function settingsFor(config: EmbedderConfig, name: string, dimensions: number | undefined): EmbedderConfig {
  const embedding = shape.embedding.safeParse(name).success ? name : "none";
  const isConfigured = name === config.embedding;
  return {
    ...config,
    embedding,
    embeddingDimensions: dimensions ?? (isConfigured ? config.embeddingDimensions : null),
    embeddingWindow: isConfigured ? config.embeddingWindow : null,
    embeddingFloor: isConfigured ? config.embeddingFloor : null,
  };
}

/** Maximum code points of a name in an error message. */
const maxNameLength = 100;

interface EmbedderQuery {
  readonly known: readonly Embedder[];
  readonly dimensions: number | undefined;
}

function unknownEmbedder(name: string, { known, dimensions }: EmbedderQuery): ConfigError {
  const names = known.map((embedder) => `"${embedder.name}" (${embedder.dimensions} dimensions)`);
  const expected = [...names, embeddingSettings.embedding.expected].join(", ");
  const shown = takeCodePoints(name, maxNameLength);
  const wanted = dimensions === undefined ? `"${shown}"` : `"${shown}" with ${dimensions} dimensions`;
  return new ConfigError(`Expected the embedder to be ${expected}, got ${wanted}.`);
}

function widthError({ name, dimensions }: Embedder, expected: number): ConfigError {
  return new ConfigError(`Expected vectors of ${expected} dimensions from ${name}, got ${dimensions}.`);
}
