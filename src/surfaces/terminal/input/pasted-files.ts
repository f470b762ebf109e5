// Replaces pasted paths of files by mentions, which attach the files, and attaches an image from the clipboard.
// Invariant: a paste is inserted at once; it is replaced only if all its paths are files and it is still at the same place.
import { failureItem } from "../advice.ts";
import type { ChatHost } from "../chat-host.ts";
import type { ChatStore } from "../chat-store.ts";
import type { Conversation } from "../conversation.ts";

interface PastedFilesDeps {
  readonly store: ChatStore;
  readonly host: ChatHost | undefined;
  readonly conversation: Pick<Conversation, "attach">;
}

export function createPastedFiles({ store, host, conversation }: PastedFilesDeps) {
  let images = 0;
  let isReading = false;
  const hint = (text: string | null): void => store.dispatch({ type: "set", change: { hint: text } });

  const readImage = async ({ readClipboardImage }: ChatHost): Promise<void> => {
    const image = await readClipboardImage();
    hint(image.type === "none" ? image.reason : null);
    if (image.type === "none") return;
    images += 1;
    await conversation.attach({ data: image.data, name: `pasted-${images}.png` });
  };

  return {
    /** Replaces a text that was pasted at the offset `at` by mentions, if it consists of paths of files. */
    pasted(text: string, at: number): void {
      if (host === undefined) return;
      void mentionsIn(text, host).then((found) => (found === null ? null : replace(store, [text, at], found)));
    },
    /** Attaches the image in the clipboard to the next message. */
    pasteImage(): void {
      if (host === undefined) hint("Not available: this chat cannot read the clipboard.");
      if (host === undefined || isReading) return;
      isReading = true;
      hint("Reading the clipboard…");
      void readImage(host)
        .catch((error: unknown) => store.dispatch({ type: "show", items: [failureItem(error, "command")] }))
        .finally(() => (isReading = false));
    },
  };
}

export type PastedFiles = ReturnType<typeof createPastedFiles>;

/** Returns the mentions of pasted paths of files; null for any other text. */
async function mentionsIn(text: string, { findFile }: ChatHost): Promise<string | null> {
  for (const paths of droppedPaths(text)) {
    const found = await Promise.all(paths.map(findFile));
    const mentions = paths.map(mentionOf);
    if (found.every((file) => file !== null) && mentions.every((mention) => mention !== null))
      return `${mentions.join(" ")} `;
  }
  return null;
}

/** Replaces the text at the offset, if it is still there and not in the argument of a command. */
function replace(store: ChatStore, [text, at]: readonly [string, number], mentions: string): void {
  const { editor } = store.getState();
  const end = at + text.length;
  const before = editor.text.slice(0, at);
  if (/^[/!#]/u.test(before) || editor.text.slice(at, end) !== text) return;
  const inserted = /\S$/u.test(before) ? ` ${mentions}` : mentions;
  const cursor = editor.cursor < end ? Math.min(editor.cursor, at) : editor.cursor - text.length + inserted.length;
  store.dispatch({ type: "edit", editor: { ...editor, text: before + inserted + editor.text.slice(end), cursor } });
}

const maxLength = 4_000;
const maxPaths = 20;
const imageName = /\.(?:png|jpe?g|gif|webp)$/iu;

/**
 * Returns the ways to read a text as paths, the most likely first; none if a part of it is not a path. Pure: the caller
 * checks whether the files exist.
 */
export function droppedPaths(pasted: string): readonly (readonly string[])[] {
  const text = pasted.trim();
  if (text === "" || text.length > maxLength) return [];
  const words = wordsOf(text).map(withoutScheme);
  const lists = [...(text.includes("\n") ? [] : [[withoutScheme(text)]]), words];
  return lists.filter((paths) => paths.length <= maxPaths && paths.every(isPath));
}

/** Returns the mention of a path: `@/tmp/a.png`; null for a path that a mention cannot contain. */
export function mentionOf(path: string): string | null {
  if (/["\n]/u.test(path)) return null;
  return /\s/u.test(path) ? `@"${path}"` : `@${path}`;
}

/** Whether a word is a path. A relative path must be that of an image, because other words are more likely text. */
function isPath(path: string): boolean {
  return /^(?:\/|~\/|[a-z]:[\\/])/iu.test(path) || imageName.test(path);
}

/** Returns the words of a text. Blanks in quotes or after a backslash do not separate words. */
function wordsOf(text: string): readonly string[] {
  const isWindows = /^["']?[a-z]:\\/iu.test(text);
  const word = isWindows ? /"[^"]*"|\S+/gu : /(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/gsu;
  return [...text.matchAll(word)].map(([found]) => (isWindows ? found.replaceAll('"', "") : unquoted(found)));
}

function unquoted(word: string): string {
  return word.replaceAll(
    /'([^']*)'|"([^"]*)"|\\(.)/gsu,
    (_all, single, double, escaped) => single ?? double ?? escaped,
  );
}

/** Returns `/home/ada/a b.png` for `file:///home/ada/a%20b.png`; other texts unchanged. */
function withoutScheme(path: string): string {
  const encoded = /^file:\/\/[^/]*(\/.*)$/su.exec(path)?.[1];
  if (encoded === undefined) return path;
  try {
    return decodeURIComponent(encoded);
  } catch (error) {
    if (error instanceof URIError) return encoded;
    throw error;
  }
}
