// Gives imported items names that are not in use.
// Invariant: an item whose id is stored already keeps its stored name; the first of several items with equal names keeps the
// name, and each other item gets a number that is the same at each import.

interface Named {
  readonly id: string;
  readonly name: string;
}

type FindNamed = (nameOrId: string) => Promise<Named | null>;

/**
 * Returns the items with free names, and adds a note for each renamed item. `what` is the kind of item that the notes name,
 * such as `agent`.
 */
export async function freeNames<Item extends Named>(
  items: readonly Item[],
  find: FindNamed,
  notes: string[],
  what: string,
): Promise<readonly Item[]> {
  const taken = new Set<string>();
  const named: Item[] = [];
  for (const item of items) {
    const stored = await find(item.id);
    const name = stored?.id === item.id ? stored.name : await freeName(item.name, taken, find);
    if (stored?.id !== item.id && name !== item.name) {
      notes.push(`${what} ${JSON.stringify(item.name)}: the name is in use, so it is called ${JSON.stringify(name)}.`);
    }
    taken.add(name);
    named.push({ ...item, name });
  }
  return named;
}

async function freeName(wanted: string, taken: ReadonlySet<string>, find: FindNamed): Promise<string> {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted}-${number}`;
    if (!taken.has(name) && (await find(name)) === null) return name;
  }
}
