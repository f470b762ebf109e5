// Resolves references in the texts of a configuration file: `${{ secrets.NAME }}`, `${{ env.NAME }}` and `${NAME}`;
// `$${` is a literal `${`.
// Invariant: pure; a resolved value is not searched for further references, and no message contains it.
import { ConfigError } from "../base/errors.ts";
import { describeValue } from "./describe-value.ts";

export interface SecretsFile {
  /** The path of the secrets file, as messages name it; null if the configuration has no such file. */
  readonly path: string | null;
  /** The secrets by name; undefined if the file does not exist. */
  readonly values: Readonly<Record<string, string>> | undefined;
}

export interface ReferenceSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly secrets: SecretsFile;
  /** The path of the configuration file, as messages name it. */
  readonly where: string;
}

export interface Resolved {
  readonly content: unknown;
  /** The paths of values, such as `memory.buffer.size`, whose texts contain a secret. */
  readonly secretPlaces: ReadonlySet<string>;
  /** The paths of values whose text is a single reference and nothing else: only these may become a number or a boolean. */
  readonly referencePlaces: ReadonlySet<string>;
  /** The values of the secrets that the file refers to. */
  readonly secretTexts: readonly string[];
}

// All quantifiers are bounded, because the text is user input.
const name = "([A-Za-z_][A-Za-z0-9_]{0,199})";
const pattern = new RegExp(
  String.raw`\$\$\{|\$\{\{[ \t]{0,20}(secrets|env)\.${name}[ \t]{0,20}\}\}|\$\{${name}\}|\$\{`,
  "gu",
);

/** The names of secrets and environment variables to which the content of a configuration file refers. */
export interface ReferencedNames {
  readonly secrets: ReadonlySet<string>;
  /** Names of environment variables, which may also contain secrets. */
  readonly variables: ReadonlySet<string>;
}

export function referencedNames(content: unknown): ReferencedNames {
  const [secrets, variables] = [new Set<string>(), new Set<string>()];
  mapTexts(content, { place: "", depth: 0 }, (text) => {
    for (const [, kind, braced, plain] of text.matchAll(pattern)) {
      const wanted = braced ?? plain;
      if (wanted !== undefined) variables.add(wanted);
      if (kind === "secrets" && wanted !== undefined) secrets.add(wanted);
    }
    return text;
  });
  return { secrets, variables };
}

/**
 * Replaces the references in the content of a configuration file by their values. Throws ConfigError, naming key and reference,
 * for a reference that is undefined or malformed, and for a text that a database cannot store.
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
      if (value === undefined) {
        throw missing(`${where}: ${place}`, reference, wanted, kind === "secrets" ? secrets : null);
      }
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

/** Returns the reason why a database cannot store a text; null if it can. */
export function faultOf(text: string): string | null {
  if (text.includes("\0")) return "a NUL character";
  return /\p{Surrogate}/u.test(text) ? "half of a surrogate pair" : null;
}

interface Position {
  readonly place: string;
  readonly depth: number;
}

/** Maximum nesting of the content; no setting is nested as deeply. */
const maxDepth = 20;

function mapTexts(value: unknown, at: Position, change: (text: string, place: string) => string): unknown {
  if (typeof value === "string") return change(value, at.place === "" ? "the whole file" : at.place);
  if (typeof value !== "object" || value === null) return value;
  if (at.depth >= maxDepth)
    throw new ConfigError(`The configuration is nested more than ${maxDepth} levels deep. Flatten it.`);
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

/** Returns the object's own property if it is set and not empty. Inherited properties do not count. */
function ownValue(values: ReferenceSources["env"] | undefined, key: string): string | undefined {
  return values !== undefined && Object.hasOwn(values, key) ? values[key] || undefined : undefined;
}

function missing(key: string, reference: string, wanted: string, secrets: SecretsFile | null): ConfigError {
  const inEnvironment = `the environment (${wanted} is not set, or empty)`;
  if (secrets === null) {
    return new ConfigError(
      `${key}: ${reference} is not defined. Searched ${inEnvironment}. Set ${wanted}, or write $\${ for a literal \${.`,
    );
  }
  const { path, values } = secrets;
  const state = values === undefined ? "no such file" : "no such key";
  const inFile = path === null ? "" : ` and ${path} (${state})`;
  return new ConfigError(
    `${key}: ${reference} is not defined. Searched ${inEnvironment}${inFile}. Set ${wanted}, or add it to the file: {${describeValue(wanted)}: "…"}.`,
  );
}

function malformed(key: string): ConfigError {
  return new ConfigError(
    `${key}: expected \${{ secrets.NAME }}, \${{ env.NAME }} or \${NAME} after "\${"; for a literal "\${", write "$\${".`,
  );
}
