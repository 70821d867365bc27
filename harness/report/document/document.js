// The search, and the choice between light and dark, which the page of a run keeps under the same name.
(() => {
  const field = document.querySelector("#filter");
  const items = [...document.querySelectorAll(".item")].map((element) => ({ element, text: element.textContent.toLowerCase() }));
  const groups = [...document.querySelectorAll(".group, main section")];

  function search() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    for (const { element, text } of items) {
      element.hidden = !words.every((word) => text.includes(word));
      left += !element.hidden;
    }
    for (const group of groups) {
      const inside = [...group.querySelectorAll(".item")];
      group.hidden = inside.length > 0 && inside.every(({ hidden }) => hidden);
    }
    document.querySelector("#left").textContent = words.length ? `${left} of ${items.length}` : "";
  }

  const THEMES = ["system", "dark", "light"];
  const button = document.querySelector("#theme");

  function set(theme) {
    document.documentElement.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
  }

  function next() {
    set(THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length]);
    try {
      localStorage.setItem("harness-theme", document.documentElement.dataset.theme);
    } catch { /* a browser that keeps nothing for pages from a disk */ }
  }

  let kept = null;
  try {
    kept = localStorage.getItem("harness-theme");
  } catch { /* as above */ }
  set(THEMES.includes(kept) ? kept : "system");
  button.addEventListener("click", next);
  field.addEventListener("input", search);
  addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target === field) {
      if (event.key === "Escape") field.blur();
    } else if (event.key === "/") {
      event.preventDefault();
      field.focus();
    } else if (event.key === "d") {
      next();
    }
  });
  button.hidden = false;
  field.hidden = items.length < 2;
})();
