// Draws rows below each other in the styles of a theme.
// Invariant: a row takes exactly one line of the screen.
import { Box, Text } from "ink";
import type { Row } from "../rows/row.ts";
import type { Theme } from "../rows/theme.ts";

/** Renders rows with Ink. */
export function RowList({ rows, theme }: { readonly rows: readonly Row[]; readonly theme: Theme }) {
  return (
    <Box flexDirection="column">
      {rows.map((row, index) => (
        <Text key={index} wrap="truncate-end">
          {row.length === 0
            ? " "
            : row.map((part, position) => (
                <Text key={position} {...theme[part.tone]}>
                  {part.text}
                </Text>
              ))}
        </Text>
      ))}
    </Box>
  );
}
