// Asks for the key of the server.
import { useState } from "preact/hooks";
import { PlainText } from "./parts/plain-text.tsx";

interface KeyPromptProps {
  /** Why the last key was refused; null if there was none. */
  readonly reason: string | null;
  readonly onKey: (key: string) => void;
}

export function KeyPrompt({ reason, onKey }: KeyPromptProps) {
  const [key, setKey] = useState("");
  return (
    <main class="prompt">
      <h1>Palimpsest inspector</h1>
      {reason === null ? null : (
        <div class="failure" role="alert">
          <PlainText text={reason} />
        </div>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (key.trim() !== "") onKey(key.trim());
        }}
      >
        <label for="key">Key of the server</label>
        <input
          id="key"
          type="password"
          autocomplete="off"
          spellcheck={false}
          value={key}
          onInput={(event) => setKey(event.currentTarget.value)}
        />
        <p class="note">
          The server wrote one to the file server-key in the data folder when it started. This tab keeps it until you
          close it.
        </p>
        <button type="submit" class="main">
          Open
        </button>
      </form>
    </main>
  );
}
