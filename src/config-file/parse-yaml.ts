// YAML 1.2 to what JSON could say: texts, numbers, true and false, null, lists and objects with texts as keys.
// Invariant: nothing of the text is in a message; what YAML alone can say (tags, another version, several documents, a key
// twice, aliases that multiply) is refused.
import { type Alias, type CST, type Document, isNode, LineCounter, parseDocument, Parser, visit } from "yaml";
import { ConfigError } from "../errors.ts";

/** Uses of anchors in a file: enough for a person, and far from what fills a memory. */
const maxAliases = 100;

/** Levels of lists and objects. Far deeper ones would end the process: the parser goes down by calling itself. */
const maxLevels = 100;

/** Throws ConfigError with file, line and column. */
export function parseYaml(text: string, file: string): unknown {
  if (isTooDeep(text)) throw new ConfigError(`${file}: expected at most ${maxLevels} levels of nesting, got more.`);
  const lines = new LineCounter();
  const fail = (offset: number | undefined, reason: string): ConfigError => {
    const { line, col } = lines.linePos(offset ?? 0);
    return new ConfigError(`${file} (line ${line}, column ${col}): ${reason}.`);
  };
  // Its own messages quote the text, which may hold keys.
  const request = { prettyErrors: false, logLevel: "error", stringKeys: true, resolveKnownTags: false } as const;
  const document = parseDocument(text, { ...request, lineCounter: lines });
  const [fault] = [...document.errors, ...document.warnings];
  if (fault !== undefined) throw fail(fault.pos[0], reasons[fault.code] ?? "this is not valid YAML");
  if (document.directives?.yaml.version !== "1.2") {
    throw fail(0, "expected YAML 1.2, in which `off` and `no` are texts; remove the %YAML line");
  }
  const lost = brokenAlias(document);
  if (lost !== undefined) throw fail(lost.range?.[0], "expected an anchor of this name before it, and not around it");
  try {
    return document.toJS({ maxAliasCount: maxAliases });
  } catch {
    // The parser has read it already: what is left to fail is how many there are.
    throw fail(0, `expected at most ${maxAliases} uses of anchors`);
  }
}

/** The first alias that stands for nothing, or for what it stands in. */
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

/** By the tokens, which are read without going down. */
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
  BAD_INDENT: "the indentation does not fit what stands before it, or a bracket is not closed",
  BLOCK_AS_IMPLICIT_KEY: "a key and its value must stand on one line, or the value below it, indented",
  DUPLICATE_KEY: "this key stands here twice; remove one of them",
  MISSING_CHAR: "a character is missing: a quote, a colon or a comma",
  MULTILINE_IMPLICIT_KEY: "a key must stand on one line, with a colon after it",
  MULTIPLE_DOCS: "expected one document; remove the --- and what follows it, or make it a file of its own",
  NON_STRING_KEY: "expected a text as a key",
  TAB_AS_INDENT: "indent by spaces, not by tabs",
  TAG_RESOLVE_FAILED: "tags (!…) have no meaning here; write the value alone",
};
