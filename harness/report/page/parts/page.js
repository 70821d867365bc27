// The report: reads what the page holds and shows what the address says, now and whenever it changes.

import { found } from "./dom.js";
import { readData } from "./data.js";
import { address, filters, go, place, settle } from "./place.js";
import { Overview } from "./overview.js";
import { CaseView } from "./case.js";
import { focusSquare, keptTheme, listen } from "./keys.js";

keptTheme();
const data = await readData();
const overview = new Overview(data);
const view = new CaseView(data);
let open = null;
let left = 0; // how far the overview was scrolled

function show() {
  const { case: id, run = "0" } = place();
  const chosen = id === undefined ? null : data.runs[Number(run)]?.cases.find((each) => each.id.toWellFormed() === id) ?? null;
  if (open === null && chosen !== null) left = scrollY;
  const before = open;
  open = chosen;
  found("#overview").hidden = chosen !== null;
  found("#case").hidden = chosen === null;
  if (chosen) showCase(chosen, before);
  else showOverview(before);
}

function showCase(chosen, before) {
  if (!overview.shown.length) overview.show();
  view.show(chosen, overview.shown);
  if (chosen !== before) scrollTo(0, 0);
}

function showOverview(before) {
  view.leave();
  overview.show();
  scrollTo(0, left);
  const line = before && [...document.querySelectorAll("#matrix .square")].find((each) =>
    each.hash === address({ ...(before.run ? { run: before.run } : {}), case: before.id }));
  if (line) focusSquare(line);
}

listen({
  overview,
  get case() {
    return open && view;
  },
  leave: () => { if (open) go(filters()); },
});
found("#home").addEventListener("click", () => settle());
addEventListener("hashchange", show);
show();
document.documentElement.dataset.ready = "";
