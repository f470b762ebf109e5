// The trust class of a text, as a word with a colour.

const meanings = {
  user: "written by the user, or by a program for the user",
  model: "written by the model",
  external: "from outside, such as a tool, a file or another program, or derived from it",
} as const;

export function TrustMark({ trust }: { readonly trust: keyof typeof meanings }) {
  return (
    <span class={`mark trust-${trust}`} title={`Trust: ${meanings[trust]}`}>
      {trust}
    </span>
  );
}
