// Shows the links of a list, each of which chooses an item, and the button that lists older items.
import type { ComponentChildren } from "preact";
import { addressOf, type Place } from "../session/place.ts";

interface ListLinkProps {
  readonly place: Place;
  readonly isChosen?: boolean;
  readonly children: ComponentChildren;
}

export function ListLink({ place, isChosen, children }: ListLinkProps) {
  return (
    <li>
      <a class="list-item" href={addressOf(place)} aria-current={isChosen === true ? "true" : undefined} data-item>
        {children}
      </a>
    </li>
  );
}

/** `onMore` lists older items; it is null if all are listed. */
export function OlderButton({ onMore }: { readonly onMore: (() => void) | null }) {
  return onMore === null ? null : (
    <button type="button" class="quiet" onClick={onMore}>
      List older ones
    </button>
  );
}
