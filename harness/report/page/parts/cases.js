// Which cases there are, which are left, and in which order.

export const VERDICTS = {
  fail: { sign: "✕", word: "failed" },
  error: { sign: "!", word: "error" },
  xpass: { sign: "◆", word: "passed although the baseline expects a failure" },
  xfail: { sign: "×", word: "expected to fail" },
  pass: { sign: "✓", word: "passed" },
  skip: { sign: "–", word: "skipped" },
};
export const WORST_FIRST = Object.keys(VERDICTS);

// All that is written about a case, for the search; made when somebody searches.
function words(each) {
  each.words ??= [
    each.id, each.summary, each.target, each.profile, each.source, each.reason, each.error,
    ...each.findings.flatMap(({ rule, id, expected, got, detail, known }) => [rule, id, expected, got, detail, known]),
  ].filter(Boolean).join("\n").toLowerCase();
  return each.words;
}

// A case must satisfy every filter; of several verdicts, one. Every word that is searched for must be there.
export function filtered(cases, { q = "", verdict = "", rule = "", cause = "", scenario = "", wire = "", profile = "", changed = "" }) {
  const verdicts = new Set(verdict.split(",").filter(Boolean));
  const wanted = q.toLowerCase().split(/\s+/).filter(Boolean);
  return cases.filter((each) =>
    (!verdicts.size || verdicts.has(each.verdict)) &&
    (!wire || each.wire === wire) &&
    (!changed || each.changes.length > 0) &&
    (!profile || each.profile === profile) &&
    (!scenario || each.scenario === scenario) &&
    (!cause || each.causes.includes(cause)) &&
    (!rule || each.findings.some(({ id, rule: name }) => id === rule || name === rule || name.startsWith(`${rule}/`))) &&
    wanted.every((word) => words(each).includes(word)));
}

function badness(cases) {
  return Math.min(...cases.map(({ verdict }) => WORST_FIRST.indexOf(verdict)));
}

function time(cases) {
  return cases.reduce((sum, each) => sum + each.seconds, 0);
}

// The scenarios of the cases, each with its own, in the order that the reader wants.
export function byScenario(cases, sort = "") {
  const groups = new Map();
  for (const each of cases) {
    if (!groups.has(each.scenario)) groups.set(each.scenario, []);
    groups.get(each.scenario).push(each);
  }
  const rows = [...groups].map(([scenario, some]) => ({ scenario, cases: some, time: time(some), bad: badness(some) }));
  if (sort === "slow") return rows.sort((a, b) => b.time - a.time);
  return sort === "plan" ? rows : rows.sort((a, b) => a.bad - b.bad); // stable: as planned among equals
}

export function tally(items) {
  const counts = new Map();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}
