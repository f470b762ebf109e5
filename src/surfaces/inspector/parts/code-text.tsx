// Shows source code in any language, with colours for strings, comments, numbers and common keywords.
// Invariant: the whole text is shown in its order, without hidden characters, in time that is linear in its length.
import { visibleText } from "./visible-text.ts";

// A string matches even without its closing quote, so that no position is read twice.
const words = new RegExp(
  [
    /(?<string>"(?:[^"\\\n]|\\.)*"?|(?<!\w)'(?:[^'\\\n]|\\.)*'?|`(?:[^`\\]|\\.)*`?)/u,
    /(?<comment>(?<![^\s])(?:#|\/\/|--).*)/u,
    /(?<number>\b\d[\d._]*\b)/u,
    /(?<keyword>\b(?:as|async|await|break|case|class|const|continue|def|elif|else|except|export|false|False|finally|fn|for|from|func|function|if|import|in|interface|lambda|let|match|new|None|null|pass|raise|return|struct|switch|throw|true|True|try|type|var|while|with|yield)\b)/u,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gu",
);

export function CodeText({ text }: { readonly text: string }) {
  const shown = visibleText(text);
  const parts = [];
  let end = 0;
  for (const { 0: found, index, groups } of shown.matchAll(words)) {
    const kind = Object.keys(groups ?? {}).find((name) => groups?.[name] !== undefined);
    parts.push(shown.slice(end, index), <span class={`code-${kind}`}>{found}</span>);
    end = index + found.length;
  }
  return (
    <code>
      {parts}
      {shown.slice(end)}
    </code>
  );
}
