// Marks a text from outside with its trust class, as a word with a colour. Text of the user or the model has no mark.

const meaning = "Trust: from outside, such as a tool, a file or another program, or derived from such a text";

export function TrustMark({ trust }: { readonly trust: "user" | "model" | "external" }) {
  if (trust !== "external") return null;
  return (
    <span class="mark warn" title={meaning}>
      {trust}
    </span>
  );
}
