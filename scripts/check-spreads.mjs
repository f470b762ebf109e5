// Checks that no call in the product spreads a list of unknown length into its arguments, as `list.push(...items)` does: all
// arguments of a call are on the stack, so a call with more than about 60,000 is a RangeError.
// Permitted: array literals, the rest parameter of the surrounding function, and lists of SQL conditions.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url));
/** Functions of drizzle. A statement cannot have 65,536 parameters, so such a list is short. */
const ofStatements = new Set(["and", "or", "orderBy"]);

const findings = [];
const files = ["src", "tools", "bin"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/u.test(name))
    .map((name) => `${folder}/${name}`),
);
for (const file of files) check(file, readFileSync(join(root, file), "utf8"));

if (files.length === 0) findings.push("check-spreads: found no code to look at");
const verdict = findings.length === 0 ? `${files.length} files` : `${findings.length} to fix`;
process.stdout.write([...findings, `check-spreads: ${verdict}\n`].join("\n"));
process.exitCode = findings.length === 0 ? 0 : 1;

function check(file, text) {
  if (!/\(\s*\.\.\.|,\s*\.\.\./u.test(text)) return;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const visit = (node) => {
    const args = ts.isCallExpression(node) || ts.isNewExpression(node) ? (node.arguments ?? []) : [];
    for (const argument of args.filter(ts.isSpreadElement)) {
      if (isShort(argument.expression) || isRest(argument.expression, node) || ofStatements.has(nameOf(node))) continue;
      const { line } = source.getLineAndCharacterOfPosition(argument.getStart());
      const advice =
        "spreads a list into a call: use `appendAll`, `largest` or `smallest` of src/base, or pass the list";
      findings.push(`${file}:${line + 1}: ${advice}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}

/** Whether the list is written in the source, element by element. */
function isShort(node) {
  if (ts.isParenthesizedExpression(node)) return isShort(node.expression);
  if (ts.isConditionalExpression(node)) return isShort(node.whenTrue) && isShort(node.whenFalse);
  return (
    ts.isArrayLiteralExpression(node) &&
    node.elements.every((element) => !ts.isSpreadElement(element) || isShort(element.expression))
  );
}

/** Whether the list consists of arguments that a surrounding function was called with. */
function isRest(list, node) {
  if (!ts.isIdentifier(list)) return false;
  for (let around = node.parent; around !== undefined; around = around.parent) {
    const isOne = ({ dotDotDotToken, name }) => dotDotDotToken !== undefined && name.getText() === list.text;
    if (ts.isFunctionLike(around) && around.parameters.some(isOne)) return true;
  }
  return false;
}

function nameOf({ expression }) {
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText();
}
