// The keyboard, and the choice between light and dark.

import { found } from "./dom.js";

const WRITES = "input, select, textarea, [contenteditable]";

// `views` has the overview, the open case (or null), and how to leave it.
export function listen(views) {
  found("#help").addEventListener("click", () => found("#keys").showModal());
  addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || found("#keys").open) return;
    const { target, key } = event;
    const act = target.matches?.(WRITES) && target.type !== "range" ? writing(target, key) : pressed(key, target, views);
    if (!act) return;
    event.preventDefault();
    act();
  });
}

// In a field, a key writes; Escape leaves it, and Enter in the search goes to the first case.
function writing(field, key) {
  if (field.id === "search" && (key === "Enter" || key === "ArrowDown")) return () => focusSquare(squares()[0]?.[0]);
  if (key !== "Escape") return null;
  return () => {
    if (field.type === "search" && field.value) {
      field.value = "";
      field.dispatchEvent(new Event("input", { bubbles: true }));
    } else {
      field.blur();
    }
  };
}

function pressed(key, target, views) {
  const open = views.case;
  const everywhere = {
    "?": () => found("#keys").showModal(),
    d: nextTheme,
    "/": () => { views.leave(); found("#search").focus(); found("#search").select(); },
    Escape: () => (open ? views.leave() : views.overview.clear()),
  };
  return everywhere[key] ?? (open ? inCase(key, target, open) : inMatrix(key));
}

function inCase(key, target, view) {
  const presses = target.matches?.("button, summary, a");
  const follow = (id) => () => { if (!found(id).hidden) found(id).click(); };
  const keys = { j: follow("#next"), k: follow("#previous"), n: () => view.nextFinding() };
  if (key === " " && !presses) return () => view.play();
  if (target.matches?.("pre, #feed") || target.type === "range") return keys[key] ?? null; // they have arrows of their own
  return { ...keys, ArrowLeft: () => view.step(-1), h: () => view.step(-1), ArrowRight: () => view.step(1), l: () => view.step(1) }[key] ?? null;
}

// --- the matrix: one stop for Tab, arrows within --------------------------------------------------------------

function squares() {
  return [...document.querySelectorAll("#matrix tbody tr")].map((row) => [...row.querySelectorAll(".square")]);
}

export function focusSquare(square) {
  if (!square) return;
  for (const other of document.querySelectorAll("#matrix a[tabindex='0']")) other.tabIndex = -1;
  square.tabIndex = 0;
  square.focus();
  square.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function inMatrix(key) {
  const moves = { j: [1, 0], ArrowDown: [1, 0], k: [-1, 0], ArrowUp: [-1, 0], l: [0, 1], ArrowRight: [0, 1], h: [0, -1], ArrowLeft: [0, -1] };
  const move = moves[key];
  if (!move) return null;
  return () => {
    const rows = squares();
    const now = document.activeElement;
    const row = rows.findIndex((each) => each.includes(now));
    if (row < 0) {
      focusSquare(document.querySelector("#matrix a[tabindex='0']"));
      return;
    }
    const [down, along] = move;
    const column = rows[row].indexOf(now);
    const next = rows[row + down];
    if (down && next) focusSquare(next[Math.min(column, next.length - 1)]);
    if (along) focusSquare(rows[row][column + along]);
  };
}

// --- light and dark -------------------------------------------------------------------------------------------

const THEMES = ["system", "dark", "light"];

function theme() {
  return document.documentElement.dataset.theme ?? "system";
}

export function setTheme(name) {
  document.documentElement.dataset.theme = name;
  found("#theme").textContent = `Theme: ${name}`;
}

function nextTheme() {
  const next = THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length];
  setTheme(next);
  try {
    localStorage.setItem("harness-theme", next);
  } catch { /* a browser that keeps nothing for pages from a disk */ }
}

export function keptTheme() {
  found("#theme").addEventListener("click", nextTheme);
  try {
    const kept = localStorage.getItem("harness-theme");
    setTheme(THEMES.includes(kept) ? kept : "system");
  } catch {
    setTheme("system");
  }
}
