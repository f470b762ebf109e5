// Shows text of the agent as Markdown, with the parser of the chat in the terminal.
// Invariant: links, images and HTML in the text are shown as text, and never become elements of the page. No hidden
// character is shown. A huge text is shown unparsed, piece by piece.
import type { ComponentChildren } from "preact";
import type { Token, Tokens } from "marked";
import { parseMarkdown } from "../../markdown/parse-markdown.ts";
import { CodeText } from "./code-text.tsx";
import { PlainText } from "./plain-text.tsx";
import { Table } from "./table.tsx";
import { visibleText } from "./visible-text.ts";

/** Maximum UTF-16 units that are parsed. */
const maxLength = 20_000;

export function Markdown({ text }: { readonly text: string }) {
  if (text.length > maxLength) return <PlainText text={text} length={maxLength} />;
  return (
    <div class="markdown" dir="auto">
      {blocks(parseMarkdown(text))}
    </div>
  );
}

function blocks(tokens: readonly Token[]): ComponentChildren {
  return tokens.map((token, at) => <Block key={at} token={token} />);
}

function Block({ token }: { readonly token: Token }) {
  switch (token.type) {
    case "space":
    case "checkbox":
      return null;
    case "heading": {
      const { depth, tokens } = token as Tokens.Heading;
      return depth < 3 ? <h3>{inline(tokens)}</h3> : <h4>{inline(tokens)}</h4>;
    }
    case "paragraph":
      return <p>{inline((token as Tokens.Paragraph).tokens)}</p>;
    case "code":
      return (
        <pre>
          <CodeText text={(token as Tokens.Code).text} />
        </pre>
      );
    case "list":
      return <List list={token as Tokens.List} />;
    case "blockquote":
      return <blockquote>{blocks((token as Tokens.Blockquote).tokens)}</blockquote>;
    case "table":
      return <TextTable table={token as Tokens.Table} />;
    case "hr":
      return <hr />;
    case "text":
      return <>{inline([token])}</>;
    default:
      return <p class="plain-text">{visibleText(token.raw)}</p>;
  }
}

function List({ list: { ordered, start, items } }: { readonly list: Tokens.List }) {
  const rows = items.map(({ task, checked, tokens }, at) => (
    <li key={at}>
      {task ? (checked === true ? "[x] " : "[ ] ") : null}
      {blocks(tokens)}
    </li>
  ));
  return ordered ? <ol start={start === "" ? 1 : start}>{rows}</ol> : <ul>{rows}</ul>;
}

function TextTable({ table: { header, rows } }: { readonly table: Tokens.Table }) {
  return (
    <Table label="Table" head={header.map(({ tokens }, at) => <th key={at}>{inline(tokens)}</th>)}>
      {rows.map((row, at) => (
        <tr key={at}>
          {row.map(({ tokens }, column) => (
            <td key={column}>{inline(tokens)}</td>
          ))}
        </tr>
      ))}
    </Table>
  );
}

function inline(tokens: readonly Token[] = []): ComponentChildren {
  return tokens.map((token, at) => <Inline key={at} token={token} />);
}

/** Types of tokens that are shown as the HTML element with the same name. */
const marks: ReadonlySet<string> = new Set(["strong", "em", "del"]);

function Inline({ token }: { readonly token: Token }) {
  if (marks.has(token.type)) {
    const Mark = token.type as "strong" | "em" | "del";
    return <Mark>{inline((token as Tokens.Strong).tokens)}</Mark>;
  }
  switch (token.type) {
    case "codespan":
      return <code>{visibleText((token as Tokens.Codespan).text)}</code>;
    case "link":
    case "image":
      return <Target link={token as Tokens.Link} />;
    case "br":
      return <br />;
    case "checkbox":
      return null;
    case "text":
    case "escape": {
      const { text, tokens } = token as Tokens.Text;
      return <>{tokens === undefined ? visibleText(decoded(text)) : inline(tokens)}</>;
    }
    default:
      return <>{visibleText(token.raw)}</>;
  }
}

/** Shows the words and the target of a link or an image as text. */
function Target({ link: { text, href, tokens } }: { readonly link: Pick<Tokens.Link, "text" | "href" | "tokens"> }) {
  return (
    <>
      {tokens === undefined ? visibleText(text) : inline(tokens)}
      {text === href ? null : <span class="note"> ({visibleText(href)})</span>}
    </>
  );
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: " " };

/** Replaces the HTML entities that are usual in Markdown by their characters. */
function decoded(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|#39|nbsp);/gu, (_, name: string) => entities[name] ?? "");
}
