// A mark on a text from outside: its trust class as a word with a colour. What is the user's or the model's own has none.

const meaning = "Trust: from outside, such as a tool, a file or another program, or derived from it";

export function TrustMark({ trust }: { readonly trust: "user" | "model" | "external" }) {
  if (trust !== "external") return null;
  return (
    <span class="mark warn" title={meaning}>
      {trust}
    </span>
  );
}
