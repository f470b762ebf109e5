// Completion of slash commands while they are typed.
// Invariant: pure; a text that is no beginning of a command has no candidates.

export interface Completable {
  readonly name: string;
}

/** The commands that begin with what was typed, while only the command's name is being typed. */
export function matchingCommands<Candidate extends Completable>(
  text: string,
  commands: readonly Candidate[],
): readonly Candidate[] {
  const typed = /^\/([a-z]*)$/i.exec(text)?.[1];
  if (typed === undefined) return [];
  return commands.filter((command) => command.name.startsWith(typed.toLowerCase()));
}

/** The text after Tab: as far as all candidates agree, else the first of them. Null when nothing can be completed. */
export function completeCommand(text: string, commands: readonly Completable[]): string | null {
  const names = matchingCommands(text, commands).map((command) => command.name);
  const [first] = names;
  if (first === undefined) return null;
  if (names.length === 1) return `/${first} `;
  let length = first.length;
  while (!names.every((name) => name.startsWith(first.slice(0, length)))) length -= 1;
  const shared = `/${first.slice(0, length)}`;
  return shared.length > text.length ? shared : `/${first} `;
}
