// What clears a terminal's screen, and moves the cursor to its first place. What was scrolled off the screen stays.
export const clearScreen = "\u001b[2J\u001b[H";
