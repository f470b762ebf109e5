// Finds the words of a summary that cannot be put into other words: numbers, dates, codes, addresses and names of files.
// Invariant: pure; each is a part of one word of the text, exactly as it is there.

/** Code points of a word, and words: the last ones, which are of the newest messages. */
const maxLength = 64;
const maxCount = 150;

const hasDigit = /\p{N}/u;
const joined = /[\p{L}\p{N}][.@_/][\p{L}\p{N}]/u;
const edges = /^[^\p{L}\p{N}+#@$€£]+|[^\p{L}\p{N}%]+$/gu;

/** Returns each once, in the order of the text. Single digits are left out. */
export function identifiersIn(text: string): readonly string[] {
  const words = text.split(/[\s"'`“”„«»()[\]{}<>|;]+/u).map((word) => word.replaceAll(edges, ""));
  const found = words.filter(
    (word) => word.length > 1 && word.length <= maxLength && (hasDigit.test(word) || joined.test(word)),
  );
  return [...new Set(found)].slice(-maxCount);
}
