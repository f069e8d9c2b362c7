"use strict";
// The nodes of the ring beside each other: a row for each, with charts of one scale.
const rows = new Map();
let wanted = new URLSearchParams(location.hash.slice(1)), offered = "";

/** What is chosen survives a reload: the address of the page says it. */
function choose(what, value) {
  if (value) wanted.set(what, value); else wanted.delete(what);
  history.replaceState(null, "", String(wanted) ? "#" + wanted : location.pathname);
  redraw();
}
/** The figures of the family that is chosen, or of all; null if there are none. */
const picked = change => wanted.get("family") ? change.families.get(wanted.get("family")) ?? null : change;
const points = (one, what) => one.samples.map(s => [s.t, picked(s.change)?.[what] ?? null]);

function families(nodes) {
  const names = new Set(wanted.get("family") ? [wanted.get("family")] : []);
  nodes.forEach(one => one.last && one.last.families.forEach(f => names.add(key(f))));
  const system = name => name.startsWith("system.") ? 1 : 0;
  const sorted = [...names].sort((a, b) => system(a) - system(b) || (a < b ? -1 : 1));
  if (offered === sorted.join(" ")) return;
  offered = sorted.join(" ");
  id("family").replaceChildren(...["", ...sorted].map(name => { const option = make("option", name || "all families"); option.value = name; return option; }));
  id("family").value = wanted.get("family") ?? "";
}
/** A row whose cells are changed from then on: one that was made again would lose the keyboard's focus. */
function nodeRow(nodeId) {
  const made = make("tr"), head = make("th"), button = make("button"), tags = make("span"), cells = {};
  made.setAttribute("role", "row"); head.scope = "row"; head.setAttribute("role", "rowheader");
  button.type = "button";
  button.addEventListener("click", () => choose("node", nodeId === servingId() ? "" : nodeId));
  head.append(button, tags); made.append(head);
  for (const [name, label] of [["rate", "calls/s"], ["rates", ""], ["median", "median"], ["slow", "99 %"], ["slows", ""], ["reads", "reads/s"], ["writes", "writes/s"], ["waiting", "waiting"], ["dropped", "dropped"], ["work", "work"], ["heard", ""]]) {
    const cell = cells[name] = make("td", undefined, name + (["rates", "slows", "work", "heard"].includes(name) ? "" : " n"));
    cell.setAttribute("role", "cell");
    if (label) cell.dataset.label = label;
    if (name.endsWith("s") && !label) { const svg = draw("svg", { class: "chart", role: "img", viewBox: "0 0 160 32", preserveAspectRatio: "none" }); cell.append(svg); cells[name] = svg; }
    made.append(cell);
  }
  return { made, button, tags, ...cells };
}
function fill(cell, text, tone) {
  if (cell.textContent !== text) cell.textContent = text;
  cell.classList.toggle("warn", tone === "warn");
}
const several = (n, one, more) => n ? [n + " " + (n > 1 ? more : one)] : [];
const sum = (list, what) => list.reduce((all, each) => all + each[what], 0);
/** How old the figures are, and why there are no newer ones. */
function heard(one) {
  if (one.self) return ["this node", false];
  if (!one.failure) return [one.last ? (one.age < 1000 ? "just now" : span(one.age / 1000) + " ago") : "is being asked", false];
  return [(one.last ? `figures of ${span(one.age / 1000)} ago: ` : "no figures: ") + one.failure, true];
}
/** Whether somebody should look at a node: such nodes come first. */
function troubled({ node, one }) {
  const f = one.last;
  return Number(node.liveness === "down" || Boolean(one.failure) || Boolean(f && (!f.ready || f.problems.length || f.timestamps.length || f.damaged.length)));
}
function drawNodes(ringNodes, at) {
  const nodes = ringNodes.map(node => ({ node, one: histories.get(node.id) })).filter(n => n.one);
  nodes.sort((a, b) => troubled(b) - troubled(a));
  families(nodes.map(n => n.one));
  const series = nodes.map(({ one }) => ["rate", "median", "slow"].map(what => points(one, what)));
  const most = which => Math.max(0, ...series.flatMap(of => which.flatMap(i => of[i].map(p => p[1] ?? 0))));
  const rateTop = most([0]), slowTop = most([1, 2]), chosen = nodes.some(n => n.node.id === wanted.get("node")) ? wanted.get("node") : servingId();
  nodes.forEach(({ node, one }, i) => {
    if (!rows.has(node.id)) rows.set(node.id, nodeRow(node.id));
    const r = rows.get(node.id), f = one.last, [word, tone] = look(node), [when, late] = heard(one);
    const last = one.samples.length ? picked(one.samples[one.samples.length - 1].change) : null, now = late || !f ? null : last;
    fill(r.button, ringNodes.indexOf(node) + 1 + " · " + node.address);
    r.button.setAttribute("aria-pressed", node.id === chosen);
    r.made.className = (node.id === chosen ? "chosen" : "") + (late ? " old" : "");
    const damage = f && f.damaged.length, trouble = f ? f.problems.length + f.timestamps.length : 0;
    const tags = [word !== "Up" ? [word, tone] : null, f && !f.ready ? ["Not ready", "bad"] : null, trouble ? [several(trouble, "problem", "problems")[0], "warn"] : null, damage ? [several(damage, "damaged file", "damaged files")[0], "bad"] : null].filter(Boolean);
    unless(r.tags, JSON.stringify(tags), () => r.tags.replaceChildren(...tags.map(([text, c]) => make("span", text, "tag " + c))));
    fill(r.rate, now ? number(now.rate) : "–");
    fill(r.median, now ? time(now.median) : "–"); fill(r.slow, now ? time(now.slow) : "–");
    fill(r.reads, now ? number(now.reads) : "–"); fill(r.writes, now ? number(now.writes) : "–");
    const still = f && f.stages.some(s => s.stillSeconds > 10);
    fill(r.waiting, f ? number(sum(f.stages, "pending")) + (still ? " (still)" : "") : "–", still ? "warn" : "");
    const dropped = f ? sum(f.stages, "dropped") + f.callsDropped + f.writesDropped : 0;
    fill(r.dropped, f ? number(dropped) : "–", dropped ? "warn" : "");
    fill(r.work, f ? [...several(f.merges.length, "merge", "merges"), ...several(f.streams.length, "stream", "streams"), ...(f.repair ? ["repair"] : []), ...several(f.pendingRepairs, "range to repair", "ranges to repair"), ...several(f.slow.length, "slow call", "slow calls")].join(", ") : "");
    fill(r.heard, when, late ? "warn" : "");
    lines(r.rates, [series[i][0]], 160, 32, at, rateTop);
    lines(r.slows, [series[i][1], series[i][2]], 160, 32, at, slowTop, logarithm);
    const highest = all => { const seen = all.map(p => p[1]).filter(v => v !== null); return seen.length ? Math.max(...seen) : null; };
    r.rates.setAttribute("aria-label", "Calls per second: at most " + number(highest(series[i][0]) ?? 0) + " in the last minutes");
    r.slows.setAttribute("aria-label", "Latency: 99 % at most " + time(highest(series[i][2])) + " in the last minutes");
  });
  const order = nodes.map(n => rows.get(n.node.id).made), body = id("all-nodes");
  if (order.length !== body.children.length || order.some((made, i) => body.children[i] !== made)) body.replaceChildren(...order);
  const more = others && others.leftOut ? ` ${others.leftOut} more nodes are not asked.` : "";
  fill(id("all-scale"), `Calls that each node coordinates, and what its replicas do${wanted.get("family") ? ", of " + wanted.get("family") : ""}. All charts have one scale, up to ${number(rateTop)} calls/s and ${slowTop ? time(slowTop) : "–"} (99 % dashed; by its logarithm). Nodes in trouble come first. Choose a node to see more of it below.${more}`);
}
document.getElementById("family").addEventListener("change", event => choose("family", event.target.value));
window.addEventListener("hashchange", () => { wanted = new URLSearchParams(location.hash.slice(1)); offered = ""; redraw(); });
