// Where in the report the reader is: all of it stands in the fragment of the address, so that a link can be sent.
//
// case, run, t: which case is open, of which run, up to which line of its trace. The others filter what the overview
// shows.

const FILTERS = ["q", "verdict", "cause", "scenario", "rule", "wire", "profile", "changed", "sort"];

let waiting = 0;
let told = null; // what the address will say, as soon as it may

export function place() {
  return told ?? Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

export function address(members) {
  const kept = Object.entries(members).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return `#${new URLSearchParams(kept)}`;
}

export function filters(of = place()) {
  return Object.fromEntries(FILTERS.filter((name) => name in of).map((name) => [name, of[name]]));
}

// Elsewhere: the way back leads to where the reader was.
export function go(members) {
  settle();
  location.hash = address(members);
}

// The same place in other words. Browsers let nobody rewrite the address at every step of a drag.
export function note(changes) {
  told = { ...place(), ...changes };
  waiting ||= setTimeout(settle, 250);
}

export function settle() {
  clearTimeout(waiting);
  waiting = 0;
  if (told) history.replaceState(null, "", address(told));
  told = null;
}

addEventListener("pagehide", settle);
addEventListener("hashchange", () => { // somebody has gone elsewhere: what was to be noted is of the place before
  clearTimeout(waiting);
  waiting = 0;
  told = null;
});
