// Finds sections by all words that are typed. The index is loaded when the field is first used.
(() => {
  const MOST = 12;
  const root = document.body.dataset.root;
  const form = document.querySelector(".search");
  const field = form.querySelector("input");
  const list = form.querySelector("ul");
  let isAsked = false;

  function load() {
    if (isAsked) return;
    isAsked = true;
    const script = document.createElement("script");
    script.src = `${root}search-index.js`;
    script.addEventListener("load", show);
    document.body.append(script);
  }

  /** A word counts most in a title, then in a heading, then in the text. */
  function scoreOf([, title, , heading, text], words) {
    let score = 0;
    for (const word of words) {
      const inHeading = heading.toLowerCase();
      const at = inHeading.includes(word) ? (inHeading.startsWith(word) ? 8 : 5) : 0;
      const inTitle = title.toLowerCase().includes(word) ? 4 : 0;
      const inText = text.toLowerCase().includes(word) ? 1 : 0;
      if (at + inTitle + inText === 0) return 0;
      score += at + inTitle + inText;
    }
    return score;
  }

  function show() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = (words.length === 0 ? [] : (window.INDEX ?? []))
      .map((entry) => ({ entry, score: scoreOf(entry, words) }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score)
      .slice(0, MOST);
    list.replaceChildren(
      ...found.map(({ entry: [page, title, id, heading] }) => {
        const item = document.createElement("li");
        const link = document.createElement("a");
        link.href = `${root}${page}#${id}`;
        link.textContent = heading === title ? title : `${title}: ${heading}`;
        item.append(link);
        return item;
      }),
    );
    if (words.length > 0 && found.length === 0 && window.INDEX !== undefined) {
      const item = document.createElement("li");
      item.textContent = "Nothing found";
      list.append(item);
    }
    list.hidden = list.childElementCount === 0;
  }

  const links = () => [...list.querySelectorAll("a")];
  field.addEventListener("focus", load);
  field.addEventListener("input", show);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    links()[0]?.click();
  });
  form.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      const stops = [field, ...links()];
      const next = stops[stops.indexOf(document.activeElement) + step];
      next?.focus();
      event.preventDefault();
    } else if (event.key === "Escape") {
      list.hidden = true;
      field.focus();
    }
  });
  form.addEventListener("focusout", ({ relatedTarget }) => {
    if (!form.contains(relatedTarget)) list.hidden = true;
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || /^(?:INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    event.preventDefault();
    field.focus();
  });
})();
