// Writes a message to the agent, and stops its turn.
import { useState } from "preact/hooks";

interface MessageBoxProps {
  readonly isRunning: boolean;
  readonly onSend: (text: string) => void;
  readonly onStop: () => void;
}

export function MessageBox({ isRunning, onSend, onStop }: MessageBoxProps) {
  const [text, setText] = useState("");
  const send = (): void => {
    if (text.trim() === "" || isRunning) return;
    onSend(text);
    setText("");
  };
  return (
    <form
      class="message-box"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <label class="off-screen" for="message-text">
        Message
      </label>
      <textarea
        id="message-text"
        rows={2}
        placeholder="Message (Enter sends, Shift+Enter begins a line)"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      {isRunning ? (
        <button type="button" class="danger" onClick={onStop}>
          Stop
        </button>
      ) : (
        <button type="submit" class="main" disabled={text.trim() === ""}>
          Send
        </button>
      )}
    </form>
  );
}
