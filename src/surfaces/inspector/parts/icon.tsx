// Draws the icons of the page: lines on a grid of 16 pixels, in the colour of the text beside them.
// Invariant: an icon only repeats the words beside it, so assistive technology skips the icon.

const paths = {
  home: "M2 7.5 8 2.5l6 5M3.5 6.5v7h9v-7M6.5 13.5v-4h3v4",
  memory:
    "M8 2.5c3.3 0 5.5.9 5.5 2.2S11.3 7 8 7 2.5 6 2.5 4.7 4.7 2.5 8 2.5ZM2.5 4.7v6.6c0 1.3 2.2 2.2 5.5 2.2s5.5-.9 5.5-2.2V4.7M2.5 8c0 1.3 2.2 2.2 5.5 2.2s5.5-.9 5.5-2.2",
  window: "M2.5 3h11v10h-11zM2.5 6h11M6.5 6v7",
  conversations: "M2.5 3h11v8H7l-3 2.5V11H2.5z",
  exchanges: "M2.5 5.5h10M9.5 2.5l3 3-3 3M13.5 10.5h-10M6.5 7.5l-3 3 3 3",
  search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.3 10.3l3.4 3.4",
  archive: "M2.5 3h11v3h-11zM3.5 6v7.5h9V6M6.5 8.5h3",
  costs: "M2.5 13.5h11M4 11V8M8 11V3M12 11V6",
  sources: "M4 2.5h5.5L12.5 5.5v8h-8.5zM9.5 2.5v3h3",
  tools: "M9.6 6.4 3 13M13.5 4.5a3.5 3.5 0 1 1-2-2L9.7 4.3l.3 1.7 1.7.3z",
  consolidations: "M2.5 3.5h11M2.5 6.5h11M8 8.5v5M5.5 11 8 13.5 10.5 11",
  schedules: "M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11ZM8 5v3l2 1.5",
  settings:
    "M2.5 4.5h5M11.5 4.5h2M2.5 11.5h2M8.5 11.5h5M9.5 6.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM6.5 13.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z",
  evals: "M5.5 3h7.5M5.5 8h7.5M5.5 13h7.5M2 3l.7.7L4 2.3M2 8l.7.7L4 7.3M2 13l.7.7L4 12.3",
  health: "M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01",
  keyboard: "M1.5 4h13v8h-13zM4 6.5h.01M6.7 6.5h.01M9.3 6.5h.01M12 6.5h.01M5 9.5h6",
  leave: "M6.5 2.5h-4v11h4M10.5 5l3 3-3 3M13.5 8h-7",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  add: "M8 3v10M3 8h10",
  undo: "M3 6.5h7a3.5 3.5 0 0 1 0 7H6M5.5 3.5 2.5 6.5l3 3",
  question: "M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11ZM6.3 6.3a1.7 1.7 0 1 1 2.4 1.6c-.5.3-.7.6-.7 1.1M8 11h.01",
  edit: "M3 13l.7-2.7 7-7 2 2-7 7zM9.5 4.5l2 2",
  forget: "M6 13.5h7.5M3 9.5l6-6 4 4-5.5 5.5H6z",
  remove: "M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.5 9h6l.5-9",
  attach: "M12.5 7.5 7.7 12.3a2.8 2.8 0 0 1-4-4L8.8 3.2a1.9 1.9 0 0 1 2.7 2.7L6.6 10.8a.9.9 0 0 1-1.3-1.3L9.5 5.3",
  done: "M3 8.5l3.5 3.5L13 4.5",
  waiting: "M4 2.5h8M4 13.5h8M5 2.5c0 3 6 4 6 5.5s-6 2.5-6 5.5M11 2.5c0 3-6 4-6 5.5s6 2.5 6 5.5",
  offer: "M2.5 6h11v2.5h-11zM3.5 8.5h9v5h-9zM8 6v7.5M8 6C6 6 4.5 5 5 3.5S8 4 8 6c0-2 2.5-4 3-2.5S10 6 8 6",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
