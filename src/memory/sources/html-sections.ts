// Extracts the visible text of HTML by blocks, with a section under each heading; scripts and styles are skipped.
// Invariant: nesting depth can neither overflow the stack nor cost quadratic time.
import { appendAll } from "../../base/lists.ts";
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from "parse5";
import { SourceFileError } from "../../base/errors.ts";
import { createHeadingTrail, type HeadingTrail, type Section } from "./section.ts";

type Node = DefaultTreeAdapterTypes.ChildNode;

/** Maximum nesting. The parser checks all open elements for each new element: 100,000 levels take two minutes. */
const maxDepth = 1000;

/** Returns the sections of an HTML document. Throws SourceFileError for nesting deeper than 1,000. */
export function htmlSections(html: string): readonly Section[] {
  const writer = createWriter();
  // The stack of remaining work: a node to enter, or an element to leave.
  const todo: { readonly node: Node; readonly leaving: boolean }[] = [];
  const push = (nodes: readonly Node[]): void => {
    for (let index = nodes.length - 1; index >= 0; index -= 1) todo.push({ node: nodes[index]!, leaving: false });
  };
  push(parse(html, { treeAdapter: shallowAdapter() }).childNodes);
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { node, leaving } = next;
    if (leaving) writer.leave(node.nodeName);
    else if (node.nodeName === "#text") writer.text((node as DefaultTreeAdapterTypes.TextNode).value);
    else if ("childNodes" in node && !unread.has(node.nodeName)) {
      writer.enter(node.nodeName);
      todo.push({ node, leaving: true });
      push(node.childNodes);
    }
  }
  return writer.sections();
}

function shallowAdapter(): typeof defaultTreeAdapter {
  let depth = 0;
  return {
    ...defaultTreeAdapter,
    onItemPush() {
      depth += 1;
      if (depth > maxDepth) throw new SourceFileError(`its elements are nested more than ${maxDepth} deep`);
    },
    onItemPop() {
      depth -= 1;
    },
  };
}

const unread: ReadonlySet<string> = new Set(["script", "style", "noscript", "template", "svg", "math", "iframe"]);

const blocks: ReadonlySet<string> = new Set(
  (
    "address article aside blockquote body caption dd details dialog div dl dt fieldset figcaption figure footer form " +
    "h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody tfoot thead title tr ul"
  ).split(" "),
);

/** Blocks that start on a new line, without a blank line above. */
const rows: ReadonlySet<string> = new Set(["dd", "dt", "li", "tr"]);

interface Writer {
  enter(element: string): void;
  leave(element: string): void;
  text(value: string): void;
  sections(): readonly Section[];
}

/** Collects text in document order, with white space as a browser would show it. */
function createWriter(): Writer {
  const done: Section[] = [];
  const trail = createHeadingTrail();
  let parts: string[] = [];
  // Whether the current section has text besides its headings: a heading without text is merged with the next section.
  let hasBody = false;
  let headingParts: string[] | undefined;
  let preformatted = 0;

  const beginsLine = (): boolean => parts.length === 0 || parts.at(-1)!.endsWith("\n");

  const breakLine = (element: string): void => {
    if (blocks.has(element) && !(rows.has(element) && beginsLine())) parts.push(rows.has(element) ? "\n" : "\n\n");
  };

  return {
    enter(element) {
      const level = levelOf(element);
      if (level !== undefined) {
        if (hasBody) {
          appendAll(done, sectionOf(parts, trail));
          parts = [];
        }
        hasBody = false;
        headingParts = [];
      }
      if (element === "pre") preformatted += 1;
      if (element === "br") parts.push("\n");
      breakLine(element);
      if (element === "li") parts.push("- ");
      if ((element === "td" || element === "th") && !beginsLine()) parts.push("\t");
    },
    leave(element) {
      if (element === "pre") preformatted -= 1;
      breakLine(element);
      const level = levelOf(element);
      if (level === undefined || headingParts === undefined) return;
      trail.enter(level, headingParts.join(""));
      headingParts = undefined;
    },
    text(value) {
      const folded = preformatted > 0 ? value : value.replaceAll(/[ \t\n\f\r]+/gu, " ");
      const shown = preformatted > 0 || !beginsLine() ? folded : folded.trimStart();
      if (shown === "") return;
      headingParts?.push(shown);
      hasBody ||= headingParts === undefined && shown.trim() !== "";
      parts.push(shown);
    },
    sections: () => [...done, ...sectionOf(parts, trail)],
  };
}

/** Returns the level of a heading; undefined for other elements. The page title counts as the outermost heading. */
function levelOf(element: string): number | undefined {
  if (element === "title") return 1;
  const digit = /^h([1-6])$/u.exec(element)?.[1];
  return digit === undefined ? undefined : Number(digit) + 1;
}

function sectionOf(parts: readonly string[], trail: HeadingTrail): readonly Section[] {
  // Trims each line by itself: a pattern for blanks before line ends takes quadratic time on a long run of blanks.
  const lines = parts
    .join("")
    .split("\n")
    .map((line) => line.trimEnd());
  const text = lines
    .join("\n")
    .replaceAll(/\n{3,}/gu, "\n\n")
    .trim();
  if (text === "") return [];
  const heading = trail.line();
  return [{ text, style: "prose", place: heading === undefined ? {} : { heading } }];
}
