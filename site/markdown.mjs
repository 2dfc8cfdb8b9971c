import hljs from "highlight.js/lib/common";
import MarkdownIt from "markdown-it";
import { anchorOf } from "./pages.mjs";

const markdown = new MarkdownIt({
  html: true,
  highlight: (code, language) =>
    hljs.getLanguage(language) === undefined ? "" : hljs.highlight(code, { language }).value,
});

/** Code that is wider than the page is scrolled, by keyboard too, and so are tables. */
const SCROLLED = 'class="scrolled" tabindex="0" role="group"';

markdown.renderer.rules.table_open = () => `<div ${SCROLLED} aria-label="Table"><table>\n`;
markdown.renderer.rules.table_close = () => "</table></div>\n";
markdown.renderer.rules.fence = (tokens, at, options) => {
  const { content, info } = tokens[at];
  const [language = ""] = info.split(/\s+/);
  const code = options.highlight(content, language) || markdown.utils.escapeHtml(content);
  const label = language === "" ? "Code" : `Code, ${language}`;
  return `<pre ${SCROLLED} aria-label="${label}"><code class="language-${language}">${code}</code></pre>\n`;
};

/**
 * A page as HTML.
 *
 * @returns its title, and its headings with the text below each, for the outline and for searching
 */
export function rendered(source) {
  const tokens = markdown.parse(source, {});
  const sections = [];
  const anchors = new Map();
  tokens.forEach((token, at) => {
    if (token.type === "heading_open") {
      const heading = wordsOf(tokens[at + 1]);
      const id = uniqueIn(anchors, anchorOf(heading));
      token.attrSet("id", id);
      sections.push({ id, heading, level: Number(token.tag.slice(1)), text: "" });
    } else if (token.type === "inline" && tokens[at - 1]?.type !== "heading_open") {
      addText(sections, wordsOf(token));
    } else if (token.type === "fence") addText(sections, token.content);
    for (const child of token.children ?? []) {
      if (child.type === "link_open") child.attrSet("href", onSite(child.attrGet("href")));
    }
  });
  return {
    title: sections[0]?.heading ?? "",
    sections,
    html: markdown.renderer.render(tokens, markdown.options, {}),
  };
}

function addText(sections, text) {
  const section = sections.at(-1);
  if (section !== undefined) section.text += `${text} `;
}

/** Without marks of code and of emphasis. */
function wordsOf(token) {
  return (token.children ?? [])
    .map(({ type, content }) =>
      type === "softbreak" ? " " : type.startsWith("html") ? "" : content,
    )
    .join("")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** As on GitHub, the second one of a name has a number. */
function uniqueIn(anchors, anchor) {
  const count = anchors.get(anchor) ?? 0;
  anchors.set(anchor, count + 1);
  return count === 0 ? anchor : `${anchor}-${count}`;
}

/** Pages are `.html` there. */
function onSite(link) {
  return /^[a-z]+:/.test(link) ? link : link.replace(/\.md(?=$|#)/, ".html");
}
