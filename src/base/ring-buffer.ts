// Implements a queue: items are appended at the end and removed at the beginning.
// Invariant: appending does not move existing items, and `items` is built at most once between two changes.

const minSlots = 16;

/** Items in a ring of slots that doubles its capacity when full: appending is O(1), amortized. */
export class RingBuffer<Item> {
  #slots: (Item | undefined)[] = Array.from({ length: minSlots });
  #first = 0;
  #length = 0;
  #items: readonly Item[] | null = null;

  constructor(items: readonly Item[] = []) {
    this.replace(items);
  }

  get length(): number {
    return this.#length;
  }

  /** Returns the item at an index; a negative index counts from the end, like an array's `at`. */
  at(index: number): Item | undefined {
    const place = index < 0 ? this.#length + index : index;
    return place < 0 || place >= this.#length ? undefined : this.#slots[this.#slot(place)];
  }

  /** All items, oldest first. The array is never mutated: a change of the list makes a new one. */
  get items(): readonly Item[] {
    this.#items ??= this.#copy(this.#length);
    return this.#items;
  }

  append(item: Item): void {
    if (this.#length === this.#slots.length) this.#grow();
    this.#slots[this.#slot(this.#length)] = item;
    this.#length += 1;
    this.#items = null;
  }

  /** Replaces the last item. The list must not be empty. */
  replaceLast(item: Item): void {
    this.#slots[this.#slot(this.#length - 1)] = item;
    this.#items = null;
  }

  /** Removes up to `count` of the oldest items and returns them; none for a negative count. */
  takeFirst(count: number): readonly Item[] {
    const taken = this.#copy(Math.max(0, Math.min(count, this.#length)));
    for (let place = 0; place < taken.length; place += 1) this.#slots[this.#slot(place)] = undefined;
    this.#first = this.#slot(taken.length);
    this.#length -= taken.length;
    if (taken.length > 0) this.#items = null;
    return taken;
  }

  replace(items: readonly Item[]): void {
    this.#slots = Array.from({ length: Math.max(minSlots, items.length) }, (_, place) => items[place]);
    this.#first = 0;
    this.#length = items.length;
    this.#items = null;
  }

  #slot(place: number): number {
    return (this.#first + place) % this.#slots.length;
  }

  #copy(count: number): Item[] {
    const end = this.#first + count;
    const head = this.#slots.slice(this.#first, end);
    // The cast is sound: only free slots are undefined, and none of these slots is free.
    return [...head, ...this.#slots.slice(0, Math.max(0, end - this.#slots.length))] as Item[];
  }

  #grow(): void {
    const items = this.#copy(this.#length);
    this.#slots = [...items, ...Array.from<undefined>({ length: items.length })];
    this.#first = 0;
  }
}
