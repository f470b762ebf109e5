// Determines by its name which reader can load a file, or that none can.
// Invariant: pure; the same name always gives the same result, regardless of case.
import type { SourceFileKind } from "../../store/port/source-store.ts";

/** `other`: a name without a known extension. It is read as text, and skipped if it is not text. */
export type NamedKind = SourceFileKind | "other" | "binary";

const kinds: Readonly<Record<Exclude<NamedKind, "other">, string>> = {
  text: "txt text log csv tsv rst adoc asciidoc org tex srt vtt eml",
  markdown: "md markdown mdown mkd mdx",
  html: "html htm xhtml",
  pdf: "pdf",
  "json-lines": "jsonl ndjson",
  code:
    "ts tsx mts cts js jsx mjs cjs py pyi rb go rs java kt kts scala swift c h cc cpp cxx hh hpp cs fs m mm php pl pm " +
    "lua r jl hs ml mli ex exs erl clj cljs lisp el scm dart zig nim v sh bash zsh fish ps1 bat cmd sql graphql proto " +
    "css scss sass less vue svelte astro json json5 yaml yml toml ini cfg conf xml svg gradle cmake tf nix",
  binary:
    "png jpg jpeg gif webp bmp ico tif tiff avif heic psd mp3 wav ogg flac m4a aac mp4 mov avi mkv webm zip gz tgz bz2 xz " +
    "zst 7z rar tar jar war class o a so dylib dll exe bin wasm pyc pyo ttf otf woff woff2 eot sqlite db parquet arrow " +
    "npy npz pkl pt onnx safetensors gguf doc docx xls xlsx ppt pptx odt ods odp epub iso dmg deb rpm",
};

const kindByExtension: ReadonlyMap<string, NamedKind> = new Map(
  Object.entries(kinds).flatMap(([kind, extensions]) =>
    extensions.split(" ").map((extension): [string, NamedKind] => [extension, kind as NamedKind]),
  ),
);

/** Returns the kind by the last extension; `other` for `Makefile` and other names without a known one. */
export function kindOfName(name: string): NamedKind {
  const extension = /\.([^./\\]+)$/u.exec(name)?.[1]?.toLowerCase();
  return (extension === undefined ? undefined : kindByExtension.get(extension)) ?? "other";
}
