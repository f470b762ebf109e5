// References in the texts of a configuration file: `${{ secrets.NAME }}`, `${{ env.NAME }}` and `${NAME}`; `$${` is a literal `${`.
// Invariant: pure; what a reference stands for is not looked through for further ones, and no message tells it.
import { ConfigError } from "../errors.ts";
import { describeValue } from "./describe-value.ts";

/** What a secrets file holds, and where it is or would be. */
export interface SecretsFile {
  /** For messages; null when there is nowhere to look. */
  readonly path: string | null;
  /** Undefined when there is no such file. */
  readonly values: Readonly<Record<string, string>> | undefined;
}

export interface ReferenceSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly secrets: SecretsFile;
  /** The file that is read, for messages. */
  readonly where: string;
}

export interface Resolved {
  readonly content: unknown;
  /** Places, such as `memory.buffer.size`, of texts with a secret in them. */
  readonly secretPlaces: ReadonlySet<string>;
  /** Places of texts that are nothing but one reference: they may stand for a number or a truth value. */
  readonly referencePlaces: ReadonlySet<string>;
  /** What the secrets are. */
  readonly secretTexts: readonly string[];
}

// Bounded pieces only: a configuration is whatever somebody wrote.
const name = "([A-Za-z_][A-Za-z0-9_]{0,199})";
const pattern = new RegExp(
  String.raw`\$\$\{|\$\{\{[ \t]{0,20}(secrets|env)\.${name}[ \t]{0,20}\}\}|\$\{${name}\}|\$\{`,
  "gu",
);

/** Names of the secrets that a content refers to. */
export function secretNames(content: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  mapTexts(content, { place: "", depth: 0 }, (text) => {
    for (const [, kind, secret] of text.matchAll(pattern)) if (kind === "secrets" && secret) names.add(secret);
    return text;
  });
  return names;
}

/**
 * The content with what its references stand for. Throws ConfigError, naming key and reference, for one that is set nowhere or
 * not written as one, and for a text that no database could store.
 */
export function resolveReferences(content: unknown, { env, secrets, where }: ReferenceSources): Resolved {
  const secretPlaces = new Set<string>();
  const referencePlaces = new Set<string>();
  const secretTexts: string[] = [];
  const resolveText = (text: string, place: string): string => {
    const resolved = text.replace(pattern, (reference, kind?: string, braced?: string, plain?: string) => {
      if (reference === "$${") return "${";
      const wanted = braced ?? plain;
      if (wanted === undefined) throw malformed(`${where}: ${place}`);
      if (reference === text) referencePlaces.add(place);
      const value = ownValue(env, wanted) ?? (kind === "secrets" ? ownValue(secrets.values, wanted) : undefined);
      if (value === undefined) throw missing(`${where}: ${place}`, { reference, name: wanted, kind, secrets });
      if (kind === "secrets") {
        secretPlaces.add(place);
        secretTexts.push(value);
      }
      return value;
    });
    const fault = faultOf(resolved);
    if (fault !== null) {
      throw new ConfigError(`${where}: ${place}: expected a text that can be stored, got one with ${fault}.`);
    }
    return resolved;
  };
  return {
    content: mapTexts(content, { place: "", depth: 0 }, resolveText),
    secretPlaces,
    referencePlaces,
    secretTexts,
  };
}

/** Why a text cannot be stored; null when it can. */
export function faultOf(text: string): string | null {
  if (text.includes("\0")) return "a NUL character";
  return /\p{Surrogate}/u.test(text) ? "half of a surrogate pair" : null;
}

interface Standing {
  readonly place: string;
  readonly depth: number;
}

/** Deeper than any setting. */
const deepest = 20;

function mapTexts(value: unknown, at: Standing, change: (text: string, place: string) => string): unknown {
  if (typeof value === "string") return change(value, at.place === "" ? "the whole file" : at.place);
  if (typeof value !== "object" || value === null) return value;
  if (at.depth >= deepest) throw new ConfigError(`Expected a configuration of at most ${deepest} levels, got more.`);
  const depth = at.depth + 1;
  if (Array.isArray(value)) {
    return value.map((one, index) => mapTexts(one, { place: `${at.place}[${index}]`, depth }, change));
  }
  const entries = Object.entries(value).map(([key, one]): [string, unknown] => {
    const place = at.place === "" ? key : `${at.place}.${key}`;
    return [key, mapTexts(one, { place: shortened(place), depth }, change)];
  });
  return Object.fromEntries(entries);
}

function shortened(place: string): string {
  return place.length > 200 ? `${place.slice(0, 199)}…` : place;
}

/** Nothing of what every object has, and nothing empty. */
function ownValue(values: ReferenceSources["env"] | undefined, key: string): string | undefined {
  return values !== undefined && Object.hasOwn(values, key) ? values[key] || undefined : undefined;
}

interface MissingReference {
  readonly reference: string;
  readonly name: string;
  readonly kind: string | undefined;
  readonly secrets: SecretsFile;
}

function missing(key: string, { reference, name: wanted, kind, secrets }: MissingReference): ConfigError {
  const inEnvironment = `the environment (${wanted} is not set, or empty)`;
  if (kind !== "secrets") {
    return new ConfigError(`${key}: ${reference} stands for nothing. Looked in ${inEnvironment}. Set ${wanted}.`);
  }
  const { path, values } = secrets;
  const state = values === undefined ? "there is no such file" : "it has no such key";
  const inFile = path === null ? "" : ` and in ${path} (${state})`;
  return new ConfigError(
    `${key}: ${reference} stands for nothing. Looked in ${inEnvironment}${inFile}. Set ${wanted}, or put it there: {${describeValue(wanted)}: "…"}.`,
  );
}

function malformed(key: string): ConfigError {
  return new ConfigError(
    `${key}: expected \${{ secrets.NAME }}, \${{ env.NAME }} or \${NAME} after "\${"; for a "\${" as it stands, write "$\${".`,
  );
}
