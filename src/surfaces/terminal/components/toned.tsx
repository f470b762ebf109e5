// Draws texts in the style that the theme has for their tone, and rows of these texts.
// Invariant: a row takes exactly one line; a row that has not changed is not rendered again.
import { Box, Text } from "ink";
import { createContext, memo, type ReactNode, useContext } from "react";
import { type Row, rowText, type Span, type Tone } from "../rows/row.ts";
import { type Theme, themes } from "../rows/theme.ts";

export const ThemeContext = createContext<Theme>(themes.none);
/** Whether links are written as OSC 8. */
export const LinksContext = createContext(true);

/** Draws a text of one tone. */
export function Toned({ tone = "plain", children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  const { color, ...shape } = useContext(ThemeContext)[tone];
  const ink = color === undefined ? {} : { color: typeof color === "number" ? `ansi256(${color})` : color };
  return (
    <Text {...shape} {...ink}>
      {children}
    </Text>
  );
}

/** Draws one row of texts, cut at the width. */
export function OneRow({ children }: { readonly children: ReactNode }) {
  return <Text wrap="truncate-end">{children}</Text>;
}

/** Draws rows that are already wrapped to the width. */
export function Rows({ rows }: { readonly rows: readonly Row[] }) {
  return (
    <Box flexDirection="column" flexShrink={0}>
      {rows.map((row, at) => (
        <RowLine key={at} row={row} />
      ))}
    </Box>
  );
}

export const RowLine = memo(
  ({ row }: { readonly row: Row }) => (
    <OneRow>
      {rowText(row) === ""
        ? " "
        : row.map(({ text, tone, link }, at) => (
            <Toned key={at} tone={tone}>
              {link === undefined ? text : <Linked to={link}>{text}</Linked>}
            </Toned>
          ))}
    </OneRow>
  ),
  (one, other) =>
    one.row === other.row ||
    (one.row.length === other.row.length && one.row.every((part, at) => isSamePart(part, other.row[at]))),
);

function isSamePart(one: Span, other: Span | undefined): boolean {
  return one.text === other?.text && one.tone === other.tone && one.link === other.link;
}

function Linked({ to, children }: { readonly to: string; readonly children: string }) {
  return useContext(LinksContext) ? `\u001b]8;;${to}\u0007${children}\u001b]8;;\u0007` : children;
}
