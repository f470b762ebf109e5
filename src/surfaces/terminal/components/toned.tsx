// Text with the theme's style for its tone, and rows of such text.
// Invariant: a row takes exactly one line; a row that has not changed is not rendered again.
import { Box, Text } from "ink";
import { createContext, memo, type ReactNode, useContext } from "react";
import { type Row, rowText, type Tone } from "../rows/row.ts";
import { type Theme, themes } from "../rows/theme.ts";

export const ThemeContext = createContext<Theme>(themes.none);

/** Text of one tone. */
export function Toned({ tone = "plain", children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  const { color, ...shape } = useContext(ThemeContext)[tone];
  const ink = color === undefined ? {} : { color: typeof color === "number" ? `ansi256(${color})` : color };
  return (
    <Text {...shape} {...ink}>
      {children}
    </Text>
  );
}

/** One row of texts, cut at the width. */
export function OneRow({ children }: { readonly children: ReactNode }) {
  return <Text wrap="truncate-end">{children}</Text>;
}

/** Rows that are already wrapped to the width. */
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
        : row.map(({ text, tone }, at) => (
            <Toned key={at} tone={tone}>
              {text}
            </Toned>
          ))}
    </OneRow>
  ),
  (one, other) =>
    one.row === other.row ||
    (one.row.length === other.row.length &&
      one.row.every(({ text, tone }, at) => text === other.row[at]?.text && tone === other.row[at].tone)),
);
