// Compiles the declarations in dist/ like a strict program that imports every entry of the package. Finds three faults: an
// error, a package whose declarations a program should not have to load, and a type that a signature mentions but no entry
// exports.
// Invariant: library declarations are checked too.
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";

const root = join(import.meta.dirname, "..");
const { exports: subpaths } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const entries = Object.values(subpaths)
  .filter((target) => typeof target === "object")
  .map(({ types }) => join(root, types));
const program = ts.createProgram(entries, {
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2022.d.ts", "lib.esnext.disposable.d.ts"],
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
});
const checker = program.getTypeChecker();

// What the types of `palimpsest/client` are derived from and with: a program names them by `Api`, `CallResult` and `ApiRequest`.
const derivedFrom = /^src\/surfaces\/(?:http\/|client\/api-types\.)/u;

const exported = new Set(entries.flatMap(exportsOf));
const mentionedBy = new Map();
const visited = new Set();
for (const symbol of exported) visit(symbol);

const allowedPackages = new Set(["zod", "@types/node", "undici-types", "typescript"]);
const faults = [
  ...ts.getPreEmitDiagnostics(program).map(describeDiagnostic),
  ...loadedPackages()
    .filter((name) => !allowedPackages.has(name))
    .map((name) => `${name} is loaded by a declaration`),
  ...[...mentionedBy].map(
    ([symbol, user]) => `${symbol.name} (${whereIs(symbol)}) is mentioned by ${user}, not exported`,
  ),
].sort();
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.stdout.write(`check-exports: ${exported.size} names from ${entries.length} entries, ${faults.length} faults\n`);
process.exitCode = faults.length === 0 ? 0 : 1;

function loadedPackages() {
  const files = program.getSourceFiles().map(({ fileName }) => fileName);
  return [...new Set(files.flatMap((file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//u.exec(file)?.[1] ?? []))];
}

function describeDiagnostic({ file, start, messageText }) {
  const text = ts.flattenDiagnosticMessageText(messageText, " ");
  if (file === undefined) return text;
  return `${relative(root, file.fileName)}:${file.getLineAndCharacterOfPosition(start).line + 1}: ${text}`;
}

function exportsOf(entry) {
  const module = checker.getSymbolAtLocation(program.getSourceFile(entry));
  return checker.getExportsOfModule(module).map(resolve);
}

function resolve(symbol) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

function visit(symbol) {
  if (visited.has(symbol)) return;
  visited.add(symbol);
  for (const declaration of symbol.declarations ?? []) visitNode(declaration, symbol);
}

function visitNode(node, owner) {
  if (ts.isHeritageClause(node) && ts.isInterfaceDeclaration(node.parent)) {
    // The name of a base type is not needed: its members are visible in the interface that extends it.
    for (const base of node.types) visitMembers(checker.getTypeAtLocation(base), owner, new Set());
    return;
  }
  if (ts.isIdentifier(node)) {
    const found = checker.getSymbolAtLocation(node);
    if (found !== undefined) mention(resolve(found), owner);
  }
  ts.forEachChild(node, (child) => visitNode(child, owner));
}

function mention(symbol, owner) {
  if (!isOwn(symbol)) return;
  if (derivedFrom.test(whereIs(symbol))) return;
  if (!exported.has(symbol) && !mentionedBy.has(symbol)) mentionedBy.set(symbol, owner.name);
  visit(symbol);
}

function visitMembers(type, owner, seen) {
  for (const member of type.getProperties()) visitType(checker.getTypeOfSymbol(member), owner, seen);
  for (const { type: value } of checker.getIndexInfosOfType(type)) visitType(value, owner, seen);
}

/** Records the names that a program needs for this type: its alias, its own name, or else those of its parts. */
function visitType(type, owner, seen) {
  if (seen.has(type)) return;
  seen.add(type);
  const named = [type.aliasSymbol, type.symbol].find((symbol) => symbol !== undefined && isOwn(symbol));
  for (const argument of [...(type.aliasTypeArguments ?? []), ...argumentsOf(type)]) visitType(argument, owner, seen);
  if (named !== undefined) {
    mention(named, owner);
  } else if (type.isUnionOrIntersection()) {
    for (const part of type.types) visitType(part, owner, seen);
  } else if (isAnonymous(type)) {
    visitMembers(type, owner, seen);
    for (const signature of type.getCallSignatures()) {
      for (const parameter of signature.parameters) visitType(checker.getTypeOfSymbol(parameter), owner, seen);
      visitType(signature.getReturnType(), owner, seen);
    }
  }
}

function argumentsOf(type) {
  return type.objectFlags & ts.ObjectFlags.Reference ? checker.getTypeArguments(type) : [];
}

function isAnonymous(type) {
  return (type.objectFlags & (ts.ObjectFlags.Anonymous | ts.ObjectFlags.Mapped)) !== 0;
}

/** Whether the symbol is a top-level declaration of the package, and not a field, a parameter or another package's symbol. */
function isOwn(symbol) {
  const [declaration] = symbol.declarations ?? [];
  if (declaration === undefined || ts.isSourceFile(declaration)) return false;
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  const file = declaration.getSourceFile().fileName;
  return statement.parent === declaration.getSourceFile() && file.startsWith(join(root, "dist"));
}

function whereIs(symbol) {
  return relative(join(root, "dist"), symbol.declarations[0].getSourceFile().fileName);
}
