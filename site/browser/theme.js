// Before anything is drawn: what the reader has chosen, or else what the system prefers.
(() => {
  const root = document.documentElement;
  const stored = () => {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null;
    }
  };
  const prefersDark = matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = stored() ?? (prefersDark ? "dark" : "light");
  addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector(".theme");
    const show = () => {
      button.textContent = root.dataset.theme === "dark" ? "Light" : "Dark";
      button.setAttribute("aria-label", `${button.textContent} colours`);
    };
    button.addEventListener("click", () => {
      root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
      show();
      try {
        localStorage.setItem("theme", root.dataset.theme);
      } catch {
        // Not kept, then.
      }
    });
    show();
    // With enough room, the menu is open.
    const menu = document.querySelector(".menu");
    if (menu !== null && matchMedia("(min-width: 960px)").matches) {
      menu.open = true;
      menu.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
      scrollTo(0, 0);
    }
  });
})();
