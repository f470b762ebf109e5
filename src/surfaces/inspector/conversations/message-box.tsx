// Shows the box for a message with files to the agent, and the button that stops the agent's turn.
// Invariant: a message that was not sent is put back into the box.
import { useState } from "preact/hooks";
import { sizeText } from "../../../base/message/file-part.ts";
import type { TurnRequest } from "../../client/create-client.ts";
import { FileChoice } from "../parts/file-choice.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { Failure } from "../parts/shown.tsx";
import { submitting, typed, useAction } from "../session/use-action.ts";

export type SentMessage = TurnRequest["messages"][number];

interface MessageBoxProps {
  readonly isRunning: boolean;
  /** Resolves to whether the message was accepted. */
  readonly onSend: (message: SentMessage) => Promise<boolean>;
  readonly onStop: () => void;
}

export function MessageBox({ isRunning, onSend, onStop }: MessageBoxProps) {
  const { text, setText, files, setFiles, add, send, reading, isEmpty } = useDraft(onSend);
  const sendNow = (): void => {
    if (!isEmpty && !isRunning) send();
  };
  return (
    <form class="message-box" onSubmit={submitting(sendNow)}>
      <Failure error={reading.error} />
      <ChosenFiles files={files} onRemove={(file) => setFiles(files.filter((each) => each !== file))} />
      <label class="off-screen" for="message-text">
        Message
      </label>
      <textarea
        id="message-text"
        rows={2}
        placeholder="Message (Shift+Enter begins a line)"
        value={text}
        onInput={typed(setText)}
        onPaste={(event) => add([...(event.clipboardData?.files ?? [])])}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          sendNow();
        }}
      />
      <FileChoice label="Attach files" onChoose={add} />
      {isRunning ? (
        <button type="button" class="danger stop" onClick={onStop}>
          Stop
        </button>
      ) : (
        <button type="submit" class="main" disabled={isEmpty || reading.isRunning}>
          Send
        </button>
      )}
    </form>
  );
}

/** The text and the files that are not sent yet. */
function useDraft(onSend: MessageBoxProps["onSend"]) {
  const [text, setText] = useState("");
  const [files, setFiles] = useState<readonly File[]>([]);
  const reading = useAction();
  const add = (added: readonly File[]): void => setFiles((known) => [...known, ...added]);
  const send = (): void => {
    void reading.run(async () => {
      const sent = await Promise.all(files.map(async (file) => ({ name: file.name, url: await dataUrlOf(file) })));
      setText("");
      setFiles([]);
      // Not awaited: the promise settles when the turn ends.
      void onSend({ text, ...(sent.length === 0 ? {} : { files: sent }) }).then((isAccepted) => {
        if (isAccepted) return;
        setText((written) => (written === "" ? text : written));
        setFiles((chosen) => (chosen.length === 0 ? files : chosen));
      });
    });
  };
  return { text, setText, files, setFiles, add, send, reading, isEmpty: text.trim() === "" && files.length === 0 };
}

interface ChosenFilesProps {
  readonly files: readonly File[];
  readonly onRemove: (file: File) => void;
}

function ChosenFiles({ files, onRemove }: ChosenFilesProps) {
  if (files.length === 0) return null;
  return (
    <ul class="files chosen-files" aria-label="Files to send">
      {files.map((file, at) => (
        <li key={at}>
          <span class="mark">
            <PlainText text={file.name} length={80} isInline />, {sizeText(file.size)}
          </span>
          <button type="button" class="quiet" onClick={() => onRemove(file)} aria-label={`Remove file ${at + 1}`}>
            Remove
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Resolves to `data:TYPE;base64,CONTENT`. Throws DOMException for a file that the browser cannot read any more. */
async function dataUrlOf(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return `data:${file.type || "application/octet-stream"};base64,${btoa(text)}`;
}
