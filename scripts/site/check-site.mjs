// Checks a built site: every link of a page leads to a file and a heading of the site, and every page is at most two clicks away
// from the first one.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix, relative } from "node:path";

const mostClicks = 2;

/** Returns the number of pages in the folder, and what is wrong with them. */
export function problemsOfSite(folder) {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".html") && entry.name !== "404.html")
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  const pages = new Map(names.map((name) => [name, pageOf(name, readFileSync(join(folder, name), "utf8"))]));
  const broken = [...pages].flatMap(([name, page]) =>
    page.links.flatMap(({ to, anchor, text }) => {
      if (!existsSync(join(folder, to))) return [`${name}: the link ${text} leads nowhere`];
      if (anchor === "" || !pages.has(to) || pages.get(to).anchors.has(anchor)) return [];
      return [`${name}: ${to} has no heading #${anchor}`];
    }),
  );
  const near = reachedFrom("index.html", pages);
  const far = names.filter((name) => !near.has(name)).map((name) => `${name}: more than ${mostClicks} clicks away`);
  return { count: names.length, problems: [...broken, ...far] };
}

/** Returns the anchors of a page and where its links within the site lead. */
function pageOf(name, html) {
  const anchors = new Set([...html.matchAll(/\sid="([^"]+)"/gu)].map(([, id]) => id));
  const links = [...html.matchAll(/\s(?:href|src)="(?!https?:|data:|mailto:)([^"]+)"/gu)].map(([, text]) => {
    const [path, anchor = ""] = decodeURIComponent(text.replaceAll("&amp;", "&")).split("#");
    const joined = path.startsWith("/") ? path.slice(1) : posix.join(posix.dirname(name), path);
    const to = path === "" ? name : joined === "" || joined.endsWith("/") ? `${joined}index.html` : joined;
    return { to, anchor, text };
  });
  return { anchors, links };
}

/** Returns the pages that are at most two clicks away. */
function reachedFrom(first, pages) {
  let reached = new Set([first]);
  for (let click = 0; click < mostClicks; click += 1)
    reached = new Set([
      ...reached,
      ...[...reached].flatMap((name) => pages.get(name)?.links.map(({ to }) => to) ?? []),
    ]);
  return reached;
}
