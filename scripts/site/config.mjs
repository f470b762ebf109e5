// The configuration of VitePress for the documentation. `scripts/site.mjs` runs VitePress with it.
// The sidebar is the list of docs/index.md; decisions and examples have sidebars of their own.

/** Returns the configuration for the lists of pages: `{ sections, decisions, examples }`. */
export const configOf = ({ sections, decisions, examples }) => ({
  title: "Palimpsest",
  description: "A runtime for agents that edit their own memory, after MemGPT.",
  lang: "en",
  srcDir: "pages",
  outDir: "dist",
  // Searched in the browser, without a service.
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    sidebar: {
      "/adr/": [{ text: "Documentation", link: "/" }, group("Decisions", decisions)],
      "/examples/": [{ text: "Documentation", link: "/" }, group("Examples", examples)],
      "/": sections.map(({ title, pages }) => group(title, pages)),
    },
  },
  markdown: {
    // The anchors of GitHub, which links in the documents use.
    anchor: { slugify: anchorOf },
    config: escapeBraces,
  },
  vite: {
    build: { chunkSizeWarningLimit: 4000 },
  },
});

function group(text, pages) {
  return { text, items: pages.map(({ title, path }) => ({ text: title, link: `/${path}` })) };
}

/** Escapes `{{` in text and in code spans, which Vue would read as an expression. */
function escapeBraces(markdown) {
  for (const name of ["text", "code_inline"]) {
    const render = markdown.renderer.rules[name];
    markdown.renderer.rules[name] = (...given) => render(...given).replaceAll("{{", "&#123;&#123;");
  }
}

/** Returns the anchor of a heading, as `check-doc-paths` computes it. */
function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/gu, "-");
}
