// The sequence that clears a terminal's screen, but not its scrollback, and moves the cursor to the first column and row.
export const clearScreen = "\u001b[2J\u001b[H";
