// Parses and edits the subset of YAML 1.2 that JSON can represent: strings, numbers, booleans, null, lists and objects.
// Invariant: no message contains the text; other features of YAML (tags, another version, several documents, a
// duplicate key, too many aliases) are refused; an edit keeps comments, order, anchors and all other content.
import {
  type Alias,
  type CST,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  parseDocument,
  Parser,
  visit,
} from "yaml";
import { ConfigError } from "../../base/errors.ts";

/** Maximum number of times that a file uses anchors: enough for a real file, too few to exhaust the memory. */
const maxAliases = 100;

/** Maximum levels of lists and objects. The parser is recursive: much deeper nesting would overflow the stack. */
const maxLevels = 100;

/** Parses YAML. Throws ConfigError with file, line and column. */
export function parseYaml(text: string, file: string): unknown {
  if (isTooDeep(text)) throw new ConfigError(`${file} is nested more than ${maxLevels} levels deep. Flatten it.`);
  const lines = new LineCounter();
  const fail = (offset: number | undefined, reason: string): ConfigError => {
    const { line, col } = lines.linePos(offset ?? 0);
    return new ConfigError(`${file} (line ${line}, column ${col}): ${reason}.`);
  };
  // Without `prettyErrors`, the parser's messages do not quote the text, which may contain API keys.
  const request = { prettyErrors: false, logLevel: "error", stringKeys: true, resolveKnownTags: false } as const;
  const document = parseDocument(text, { ...request, lineCounter: lines });
  const [fault] = [...document.errors, ...document.warnings];
  if (fault !== undefined) throw fail(fault.pos[0], reasons[fault.code] ?? "this is not valid YAML");
  if (document.directives?.yaml.version !== "1.2") {
    throw fail(0, "expected YAML 1.2, got the %YAML line of another version. Remove the line");
  }
  const lost = brokenAlias(document);
  if (lost !== undefined)
    throw fail(lost.range?.[0], "expected an alias after its anchor, got one without an anchor or inside its anchor");
  try {
    return document.toJS({ maxAliasCount: maxAliases });
  } catch {
    // The text has no syntax error, so only too many aliases can have caused this error.
    throw fail(0, `the file uses anchors more than ${maxAliases} times. Write some of the values out`);
  }
}

/** Returns the first alias that has no anchor or is inside of its own anchor; undefined if there is none. */
function brokenAlias(document: Document.Parsed): Alias | undefined {
  let broken: Alias | undefined;
  visit(document, {
    Alias(_, alias, path) {
      const isInside = path.some((above) => isNode(above) && "anchor" in above && above.anchor === alias.source);
      if (!isInside && alias.resolve(document) !== undefined) return undefined;
      broken = alias;
      return visit.BREAK;
    },
  });
  return broken;
}

/** Returns whether the text is nested too deeply. Reads the parser's tokens, without recursion. */
function isTooDeep(text: string): boolean {
  const pending: { readonly token: CST.Token; readonly level: number }[] = [];
  for (const token of new Parser().parse(text)) pending.push({ token, level: 0 });
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { token, level } = next;
    if (level > maxLevels) return true;
    for (const inner of innerTokens(token)) pending.push({ token: inner, level: level + 1 });
  }
  return false;
}

function innerTokens(token: CST.Token): readonly CST.Token[] {
  if (token.type === "document") return token.value === undefined ? [] : [token.value];
  if (!("items" in token)) return [];
  return token.items.flatMap((item) => [item.key, item.value].flatMap((inner) => inner ?? []));
}

const reasons: Readonly<Record<string, string>> = {
  BAD_ALIAS: "an alias needs a name",
  BAD_INDENT: "the indentation does not match the lines before it, or a bracket is not closed",
  BLOCK_AS_IMPLICIT_KEY: "a key and its value must be on one line, or the value below the key, indented",
  DUPLICATE_KEY: "this key occurs twice; remove one of them",
  MISSING_CHAR: "a character is missing: a quote, a colon or a comma",
  MULTILINE_IMPLICIT_KEY: "a key must be on one line, followed by a colon",
  MULTIPLE_DOCS: "expected one document; remove the --- and the text after it",
  NON_STRING_KEY: "expected a string as a key",
  TAB_AS_INDENT: "indent with spaces instead of tabs",
  TAG_RESOLVE_FAILED: "tags (!…) are not supported; write the value without the tag",
};

/** A new value for the entry at a path; undefined removes the entry. */
export interface EntryEdit {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Applies the edits to YAML. Throws ConfigError, naming the file, for an entry inside of an alias. */
export function editYaml(text: string, edits: readonly EntryEdit[], file: string): string {
  const document = parseDocument(text, { prettyErrors: false, logLevel: "error" });
  // The contents are not a map if the document is empty or has only comments: the first entry then creates the map.
  if (!isMap(document.contents)) document.contents = null;
  for (const { path, value } of edits) {
    for (const depth of path.slice(1).keys()) prepareHolder(document, path.slice(0, depth + 1), file);
    // A scalar is passed without a node, because it then keeps the comments of the scalar that it replaces.
    if (value !== undefined) document.setIn(path, typeof value === "object" ? document.createNode(value) : value);
    else if (document.hasIn(path)) document.deleteIn(path);
  }
  return document.toString({ lineWidth: 0 });
}

/** Replaces an empty value at a path by a map with the value's comments, because only a map can contain an entry. */
function prepareHolder(document: Document, path: readonly string[], file: string): void {
  const holder = document.getIn(path, true);
  if (isAlias(holder)) {
    throw new ConfigError(
      `${file}: expected an object at ${path.join(".")}, got an alias (*${holder.source}). Write its values out, or change the file by hand.`,
    );
  }
  if (!isScalar(holder)) return;
  const map = document.createNode({});
  map.commentBefore = holder.comment ?? null;
  document.setIn(path, map);
}
