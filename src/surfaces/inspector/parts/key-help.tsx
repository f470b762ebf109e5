// The list of the keys.
import { Dialog } from "./dialog.tsx";

const keys: readonly (readonly [keys: string, meaning: string])[] = [
  ["g o", "all agents"],
  ["g m", "memory"],
  ["g w", "window"],
  ["g c", "conversations"],
  ["g s", "search"],
  ["g t", "costs and tokens"],
  ["g f", "sources"],
  ["g d", "schedules"],
  ["g e", "evaluations"],
  ["g h", "the server"],
  ["j, k", "next, previous item of a list"],
  ["← →", "the step before, after (in the window)"],
  ["/", "the search field"],
  ["Esc", "close a dialog"],
  ["?", "this list"],
];

export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="facts">
        {keys.map(([pressed, meaning]) => (
          <div key={pressed}>
            <dt>
              <kbd>{pressed}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
