// Shows a table in a frame that scrolls if the table is wider than the page.
import type { ComponentChildren } from "preact";

interface TableProps {
  readonly label: string;
  /** The cells of the head. */
  readonly head: ComponentChildren;
  /** The rows. */
  readonly children: ComponentChildren;
}

export function Table({ label, head, children }: TableProps) {
  return (
    <div class="table-frame" tabIndex={0} role="group" aria-label={label}>
      <table>
        <thead>
          <tr>{head}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
