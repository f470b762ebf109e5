// Shows a long list, with elements only for the rows in view.
// Invariant: the visible rows keep their position when rows above them are added or change their height. A list
// that is scrolled to its end stays there. The user's scrolling is never reverted, even if rows change before the
// scroll event arrives.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { offsetsOf, rowAt, visibleRange } from "./visible-range.ts";

interface VirtualListProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  readonly children: (item: Item, index: number) => ComponentChildren;
  /** The assumed height of a row until the row is measured, in pixels. */
  readonly estimate: number;
  readonly beginsAtEnd?: boolean;
  /** The key of the row to show first. */
  readonly firstKey?: string;
  /** Called when the user scrolls near the beginning, so that more items can be loaded; `onEnd`: near the end. */
  readonly onBeginning?: () => void;
  readonly onEnd?: () => void;
}

const margin = 600;
/** Maximum distance in pixels that counts as near the beginning or the end: one second of fast scrolling. */
const near = 3000;

/** What stays in place: the end of the list, or a row with its distance from the top of the view. */
type Anchor = "end" | { readonly key: string; readonly distance: number };

export function VirtualList<Item>(props: VirtualListProps<Item>) {
  const { items, keyOf, estimate } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const rows = useRowHeights();
  const keys = useMemo(() => items.map(keyOf), [items]);
  const offsets = useMemo(
    () => offsetsOf(keys.map((key) => rows.heights.get(key) ?? estimate)),
    [keys, rows.version, estimate],
  );
  const anchor = useRef<Anchor>(firstAnchor(props));
  const placed = useRef({ keys, offsets, top: 0 });
  // The position is read before the rows change, because the last scroll event may not have arrived yet.
  if (frame.current !== null && frame.current.scrollTop !== placed.current.top)
    anchor.current = anchorAt(frame.current, placed.current) ?? anchor.current;
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const top = topOf(anchor.current, { keys, offsets, element });
    if (top !== null && Math.abs(top - element.scrollTop) > 1) element.scrollTop = top;
    placed.current = { keys, offsets, top: element.scrollTop };
    setView((known) => sameView(known, { top: element.scrollTop, height: element.clientHeight }));
  });
  const follow = ({ currentTarget: element }: { readonly currentTarget: HTMLElement }): void => {
    const { scrollTop: top, clientHeight: height, scrollHeight } = element;
    anchor.current = anchorAt(element, { keys, offsets }) ?? anchor.current;
    placed.current.top = top;
    setView((known) => sameView(known, { top, height }));
    if (top < near) props.onBeginning?.();
    if (scrollHeight - top - height < near) props.onEnd?.();
  };
  const { start, end } = visibleRange(offsets, view, margin);
  return (
    <div
      class="virtual-list"
      ref={frame}
      onScroll={follow}
      tabIndex={0}
      role="group"
      aria-label={`${props.label}, scrollable`}
    >
      <ol aria-label={props.label} style={{ height: `${offsets[items.length] ?? 0}px` }}>
        {items.slice(start, end).map((item, at) => {
          const key = keys[start + at] ?? "";
          return (
            <li
              key={key}
              ref={(element) => rows.watch(key, element)}
              style={{ transform: `translateY(${offsets[start + at]}px)` }}
              aria-setsize={items.length}
              aria-posinset={start + at + 1}
            >
              {props.children(item, start + at)}
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function firstAnchor<Item>({ items, keyOf, firstKey, beginsAtEnd }: VirtualListProps<Item>): Anchor {
  if (firstKey !== undefined) return { key: firstKey, distance: 0 };
  if (beginsAtEnd === true) return "end";
  const [first] = items;
  return { key: first === undefined ? "" : keyOf(first), distance: 0 };
}

interface PlacedRows {
  readonly keys: readonly string[];
  readonly offsets: Float64Array;
}

/** Returns the anchor for the current scroll position; undefined if there are no rows. */
function anchorAt(element: HTMLElement, { keys, offsets }: PlacedRows): Anchor | undefined {
  const { scrollTop: top, clientHeight: height, scrollHeight } = element;
  if (scrollHeight - top - height < 4) return "end";
  const row = rowAt(offsets, top);
  const key = keys[row];
  return key === undefined ? undefined : { key, distance: top - offsets[row]! };
}

interface PlacedIn extends PlacedRows {
  readonly element: HTMLElement;
}

function topOf(anchor: Anchor, { keys, offsets, element }: PlacedIn): number | null {
  if (anchor === "end") return Math.max(0, offsets[keys.length]! - element.clientHeight);
  const row = keys.indexOf(anchor.key);
  return row === -1 ? null : offsets[row]! + anchor.distance;
}

interface View {
  readonly top: number;
  readonly height: number;
}

/** Returns `known` if `view` is equal, so that nothing is rendered again. */
function sameView(known: View, view: View): View {
  return known.top === view.top && known.height === view.height ? known : view;
}

interface RowHeights {
  readonly heights: ReadonlyMap<string, number>;
  /** A number that changes whenever `heights` changes. */
  readonly version: number;
  readonly watch: (key: string, element: HTMLElement | null) => void;
}

function useRowHeights(): RowHeights {
  const [version, setVersion] = useState(0);
  const state = useMemo(() => {
    const heights = new Map<string, number>();
    const keys = new WeakMap<Element, string>();
    const elements = new Map<string, HTMLElement>();
    const observer = new ResizeObserver((entries) => {
      let isChanged = false;
      for (const { target } of entries) {
        const key = keys.get(target);
        const { height } = target.getBoundingClientRect();
        if (key === undefined || !target.isConnected || heights.get(key) === height) continue;
        heights.set(key, height);
        isChanged = true;
      }
      if (isChanged) setVersion((count) => count + 1);
    });
    const watch = (key: string, element: HTMLElement | null): void => {
      const former = elements.get(key);
      if (former === element) return;
      if (former !== undefined) observer.unobserve(former);
      if (element === null) {
        elements.delete(key);
        return;
      }
      elements.set(key, element);
      keys.set(element, key);
      observer.observe(element);
    };
    return { heights, watch, observer };
  }, []);
  useEffect(() => () => state.observer.disconnect(), []);
  return { ...state, version };
}
