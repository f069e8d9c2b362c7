"use strict";
// Draws /status.json and /nodes.json. Rates and latencies are differences of two successive answers, so nodes keep nothing for this page.
const PERIOD = 2000, WINDOW = 300000, SVG = "http://www.w3.org/2000/svg";
/** By the node's id: its last figures, what changed before, and how it was heard. */
const histories = new Map();
let served = null, others = null, said = "", waiting = null;
const servingId = () => served && served.node.id;

function id(name) { return document.getElementById(name); }
function make(tag, text, cls) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (cls) made.className = cls;
  return made;
}
function draw(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const name in attributes) made.setAttribute(name, attributes[name]);
  return made;
}
const number = value => Number.isInteger(value) ? value.toLocaleString("en") : value >= 100 ? Math.round(value).toLocaleString("en") : value >= 10 ? value.toFixed(0) : value >= 0.05 ? value.toFixed(1) : value > 0 ? "<0.1" : "0";
function bytes(value) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let at = 0;
  while (value >= 1024 && at < units.length - 1) { value /= 1024; at++; }
  return (at && value < 10 ? value.toFixed(1) : Math.round(value)) + " " + units[at];
}
function time(seconds) {
  if (seconds === null) return "–";
  return seconds < 0.001 ? Math.round(seconds * 1e6) + " µs" : seconds < 1 ? +(seconds * 1e3).toPrecision(2) + " ms" : +seconds.toPrecision(2) + " s";
}
function span(seconds) {
  const d = Math.floor(seconds / 86400), h = Math.floor(seconds % 86400 / 3600), m = Math.floor(seconds % 3600 / 60);
  return d ? d + " d " + h + " h" : h ? h + " h " + m + " min" : m ? m + " min" : Math.round(seconds) + " s";
}
/** The value below which a share of the calls in these buckets are; null without calls. */
function quantile(share, counts, bounds) {
  const all = counts.reduce((a, b) => a + b, 0);
  if (!all) return null;
  let below = 0;
  for (let i = 0; i < counts.length; i++) {
    if (below + counts[i] >= share * all) {
      const low = i ? bounds[i - 1] : 0, high = i < bounds.length ? bounds[i] : bounds[bounds.length - 1];
      return low + (high - low) * Math.max(0, share * all - below) / counts[i];
    }
    below += counts[i];
  }
  return bounds[bounds.length - 1];
}
const key = one => one.keyspace + "." + (one.family ?? one.name);
/** What happened between two answers of a node; one that was restarted counts from zero again. */
function change(before, now) {
  const restarted = now.upMillis < before.upMillis, bounds = now.bounds;
  const seconds = Math.max(0.001, (restarted ? now.upMillis : now.upMillis - before.upMillis) / 1000);
  const grown = (buckets, last) => buckets.map((n, i) => Math.max(0, n - (!restarted && last && last[i] || 0)));
  const times = buckets => ({ rate: buckets.reduce((a, b) => a + b, 0) / seconds, median: quantile(0.5, buckets, bounds), slow: quantile(0.99, buckets, bounds) });
  const families = new Map(), then = new Map(restarted ? [] : before.families.map(f => [key(f), f]));
  for (const f of now.families) {
    // One that was not among the busiest has no figures to compare with.
    if (!then.has(key(f)) && !restarted && before.familiesLeftOut) continue;
    const l = then.get(key(f)) || { reads: 0, writes: 0, tombstones: 0, calls: [] };
    const reads = Math.max(0, f.reads - l.reads);
    families.set(key(f), { reads: reads / seconds, writes: Math.max(0, f.writes - l.writes) / seconds, tombstones: reads ? Math.max(0, f.tombstones - l.tombstones) / reads : null, ...times(grown(f.calls, l.calls)) });
  }
  const done = new Map(restarted ? [] : before.stages.map(s => [s.name, s.completed]));
  const all = what => [...families.values()].reduce((sum, f) => sum + f[what], 0);
  return { ...times(grown(now.calls, before.calls)), reads: all("reads"), writes: all("writes"), families,
    stages: new Map(now.stages.map(s => [s.name, Math.max(0, s.completed - (done.get(s.name) || 0)) / seconds])) };
}
/** Takes in figures of a node that were true at a time of this browser's clock. */
function take(nodeId, figures, at, heardNow) {
  const one = histories.get(nodeId) ?? { last: null, samples: [] };
  Object.assign(one, heardNow);
  histories.set(nodeId, one);
  if (figures && !(one.last && one.last.timeMillis === figures.timeMillis && one.last.upMillis === figures.upMillis)) {
    if (one.last) one.samples.push({ t: at, change: change(one.last, figures) });
    one.last = figures;
  }
  while (one.samples.length && one.samples[0].t < Date.now() - WINDOW) one.samples.shift();
}
/** How high a value is, from 0 to 1: in proportion, or by its logarithm from 0.1 ms on, so that one slow node leaves the others legible. */
const proportion = (v, top) => v / (Math.max(1e-9, top) * 1.1);
const logarithm = (v, top) => Math.max(0, Math.log(v / 1e-4)) / Math.max(1, Math.log(top * 1.1 / 1e-4));
/** Lines over the last minutes, now at the right; series of pairs of time and value. What is missing stays a gap. */
function lines(svg, series, width, height, at, most, share = proportion) {
  const highest = most ?? Math.max(0, ...series.flat().map(p => p[1] ?? 0));
  const gap = 3 * Math.max(PERIOD, others ? others.periodMillis : 0);
  svg.replaceChildren();
  series.forEach((values, which) => {
    let points = [], before = null;
    const end = () => { if (points.length > 1) svg.append(draw("polyline", { points: points.join(" "), class: which ? "b" : "a" })); points = []; };
    for (const [t, v] of values) {
      if (v === null || (before !== null && t - before > gap)) end();
      if (v !== null) points.push(((1 - (at - t) / WINDOW) * width).toFixed(1) + "," + (height - 2 - share(v, highest) * (height - 6)).toFixed(1));
      before = t;
    }
    end();
  });
  return highest;
}
/** Builds a part of the page again only if it says something else: who reads or scrolls there is not disturbed. */
function unless(place, signature, build) {
  if (place.said === signature) return;
  place.said = signature;
  build();
}
function scale(name, top) {
  id(name).replaceChildren(make("span", WINDOW / 60000 + " minutes ago"), make("span", "highest " + top), make("span", "now"));
}
function row(cells, cls) {
  const made = make("tr", undefined, cls);
  cells.forEach((cell, i) => {
    const [text, style] = Array.isArray(cell) ? cell : [cell];
    const td = make(i ? "td" : "th", text instanceof Node ? undefined : text, style);
    if (!i) td.scope = "row";
    if (text instanceof Node) td.append(text);
    made.append(td);
  });
  return made;
}
function table(place, caption, heads, rows, nothing) {
  unless(place, JSON.stringify([caption, rows, nothing]), () => {
    if (!rows.length) { place.replaceChildren(make("p", nothing, "quiet")); return; }
    const box = make("div", undefined, "scroll"), made = make("table"), head = make("tr"), body = make("tbody");
    box.tabIndex = 0; box.setAttribute("role", "region"); box.setAttribute("aria-label", caption);
    heads.forEach(h => { const th = make("th", h); th.scope = "col"; head.append(th); });
    const thead = make("thead"); thead.append(head); body.append(...rows.map(cells => row(cells)));
    made.append(make("caption", caption), thead, body); box.append(made); place.replaceChildren(box);
  });
}
const looks = { up: ["Up", "good", "up"], suspect: ["Late", "warn", "warn"], down: ["Down", "bad", "down"] };
function look(node) {
  const [word, tone, cls] = looks[node.liveness] || looks.down;
  return node.state === "normal" || node.liveness === "down" ? [word, tone, cls] : [node.state[0].toUpperCase() + node.state.slice(1), "warn", "warn"];
}
function place(turn, radius) { const a = turn * 2 * Math.PI - Math.PI / 2; return [(radius * Math.cos(a)).toFixed(2), (radius * Math.sin(a)).toFixed(2)]; }
function ring(now) {
  const svg = id("ring"), tokens = [];
  now.ring.forEach((node, i) => node.positions.forEach(at => tokens.push({ node, at, i })));
  tokens.sort((a, b) => a.at - b.at);
  // Under an order-preserving partitioner positions say only who follows whom.
  if (!now.hashed) tokens.forEach((t, i) => { t.at = i / tokens.length; });
  const owns = new Map();
  tokens.forEach((t, i) => { t.from = i ? tokens[i - 1].at : tokens[tokens.length - 1].at - 1; if (t.from >= t.at) t.from = t.at - 1; owns.set(t.node.id, (owns.get(t.node.id) || 0) + t.at - t.from); });
  svg.replaceChildren();
  tokens.forEach((t, i) => {
    const width = t.at - t.from, cls = look(t.node)[2] + (i % 2 ? " odd" : ""), title = draw("title", {});
    title.textContent = t.node.address + ": " + look(t.node)[0] + (now.hashed ? ", owns " + (width * 100).toFixed(1) + " %" : "");
    const gap = Math.min(0.004, width / 8), [x1, y1] = place(t.from + gap, 84), [x2, y2] = place(width > 0.9999 ? t.at - 0.0001 : t.at - gap, 84);
    const arc = draw("path", { d: `M${x1} ${y1}A84 84 0 ${width > 0.5 ? 1 : 0} 1 ${x2} ${y2}`, class: cls });
    arc.append(title); svg.append(arc);
  });
  tokens.forEach(t => {
    const [cx, cy] = place(t.at, 84);
    svg.append(draw("circle", { cx, cy, r: tokens.length > 40 ? 3 : 6, class: look(t.node)[2] + (t.node.self ? " self" : "") }));
    if (tokens.length <= 12) { const [x, y] = place(t.at, 103), text = draw("text", { x, y: +y + 3 }); text.textContent = now.ring.indexOf(t.node) + 1; svg.append(text); }
  });
  const up = now.ring.filter(n => n.liveness !== "down").length, big = draw("text", { y: 2, class: "big" }), small = draw("text", { y: 16 });
  big.textContent = up + " of " + now.ring.length; small.textContent = "nodes up"; svg.append(big, small);
  svg.setAttribute("aria-label", `Ring of ${now.ring.length} nodes, ${up} of them up; the table says the same.`);
  id("nodes").replaceChildren(...now.ring.map((node, i) => {
    const [word, tone] = look(node);
    return row([(i + 1) + " · " + node.address + (node.self ? " (this node)" : ""), [make("span", word, "tag " + tone)], [now.hashed && owns.has(node.id) ? (owns.get(node.id) * 100).toFixed(1) + " %" : "–", "n"], [bytes(node.loadBytes), "n"],
      [node.self ? "–" : number(node.hints), "n" + (node.hints ? " warn" : "")], [node.self || node.phi === null ? "–" : node.phi.toFixed(1), "n"], node.datacenter + " · " + node.rack], node.self ? "self" : "");
  }));
}
function task(what, detail, done, total) {
  const made = make("div", undefined, "task"), line = make("div"), bar = make("progress");
  line.append(make("span", what), make("span", detail));
  bar.setAttribute("aria-label", what);
  if (total > 0) { bar.max = total; bar.value = Math.min(done, total); }
  made.append(line, bar);
  return made;
}
/** Draws everything that is known. */
function redraw() {
  if (!served) return;
  const at = Date.now();
  for (const node of served.ring) if (histories.has(node.id)) histories.get(node.id).address = node.address;
  problems();
  ring(served);
  drawNodes(served.ring, at);
  const chosen = served.ring.find(n => n.id === wanted.get("node") && histories.has(n.id));
  drawNode(histories.get(chosen ? chosen.id : servingId()), chosen || served.ring.find(n => n.self), at);
  id("updated").textContent = new Date().toLocaleTimeString();
}
function problems() {
  const own = histories.get(servingId()).last, here = new Set(served.ring.map(n => n.id));
  const found = [];
  for (const [nodeId, one] of histories) {
    if (!here.has(nodeId) && nodeId !== servingId()) { histories.delete(nodeId); continue; }
    if (one.last) for (const p of [...one.last.problems, ...one.last.timestamps]) found.push(nodeId === servingId() ? p : one.address + ": " + p);
  }
  const down = served.ring.filter(n => n.liveness === "down").length;
  const damaged = [...histories.values()].some(one => one.last && one.last.damaged.length);
  state(!own.ready ? "bad" : found.length || down || damaged ? "warn" : "good",
    !own.ready ? "Not ready for clients" : found.length || damaged ? "Serving, needs attention" : down ? `Serving, ${down} ${down > 1 ? "nodes" : "node"} down` : "Serving");
  id("problems").hidden = !found.length;
  unless(id("problem-list"), JSON.stringify(found), () => id("problem-list").replaceChildren(...found.slice(0, 50).map(p => make("li", p))));
}
/** The node that is chosen, in detail. */
function drawNode(one, node, at) {
  const now = one.last, last = one.samples.length ? one.samples[one.samples.length - 1].change : null, address = node ? node.address : served.node.address;
  id("now-title").textContent = one.self ? `Node ${address} (this node)` : "Node " + address;
  const [when, late] = heard(one);
  id("now-old").hidden = !late; id("now-old").textContent = late ? (now ? "What follows are " : "There are ") + when : "";
  if (!now) { for (const part of ["tiles", "rate", "latency", "rate-scale", "latency-scale", "rate-now", "latency-now", "families", "work", "slow", "damage", "stages"]) { id(part).replaceChildren(); id(part).said = ""; } return; }
  const kept = one.self ? served.ring.reduce((a, n) => a + n.hints, 0) : node ? node.hints : 0;
  const tiles = [["Heap", bytes(now.heapUsedBytes), "of " + bytes(now.heapMaxBytes)], ["Load", bytes(now.loadBytes), "in data files"], ...(one.self ? served.disks : []).map(d => ["Disk, " + d.name, bytes(d.freeBytes), "free of " + bytes(d.sizeBytes)]),
    ["Calls in progress", number(now.callsPending), now.callsDropped ? now.callsDropped + " refused" : ""], ["Log queue", bytes(now.writeQueueBytes), now.writesDropped ? now.writesDropped + " refused" : ""], ["Hints kept", number(kept), one.self ? "for other nodes" : "for it by this node"], ["Up for", span(now.upMillis / 1000), "version " + now.version]];
  id("tiles").replaceChildren(...tiles.map(([name, value, more]) => { const box = make("div"), dd = make("dd", value + " "); dd.append(make("small", more)); box.append(make("dt", name), dd); return box; }));
  const series = what => one.samples.map(s => [s.t, s.change[what]]);
  const rateTop = lines(id("rate"), [series("rate")], 600, 120, at), slowTop = lines(id("latency"), [series("median"), series("slow")], 600, 120, at);
  if (last) {
    id("rate-now").textContent = number(last.rate);
    id("latency-now").textContent = last.median === null ? "no calls" : `median ${time(last.median)}, 99 % ${time(last.slow)} (dashed)`;
    id("rate").setAttribute("aria-label", `Calls per second: ${number(last.rate)} now, at most ${number(rateTop)} while this page was open.`);
    id("latency").setAttribute("aria-label", "Latency: " + id("latency-now").textContent);
  }
  scale("rate-scale", number(rateTop)); scale("latency-scale", slowTop < 1e-6 ? "–" : time(slowTop));
  id("families").replaceChildren(...now.families.map(f => {
    const c = last && last.families.get(key(f)) || { reads: 0, writes: 0, median: null, slow: null, tombstones: null };
    const spark = draw("svg", { class: "spark", viewBox: "0 0 110 20", "aria-hidden": "true" });
    const of = what => one.samples.map(s => [s.t, s.change.families.get(key(f))?.[what] ?? null]);
    lines(spark, [of("reads"), of("writes")], 110, 20, at);
    return row([f.keyspace + "." + f.name, [number(c.reads), "n"], [number(c.writes), "n"], [time(c.median), "n"], [time(c.slow), "n"], [spark], [bytes(f.diskBytes), "n"], [number(f.files), "n"], [number(f.pending), "n"], [c.tombstones === null ? "–" : number(c.tombstones), "n"]]);
  }));
  if (now.familiesLeftOut) id("families").append(row([now.familiesLeftOut + " more families are not shown"]));
  id("stages").replaceChildren(...now.stages.map(s => row([s.name + (s.stillSeconds > 10 ? ` (still for ${Math.round(s.stillSeconds)} s)` : ""), [number(s.active), "n"], [number(s.pending), "n"], [last ? number(last.stages.get(s.name) ?? 0) : "–", "n"], [number(s.dropped), "n" + (s.dropped ? " warn" : "")]])));
  const work = [...now.merges.map(m => task(`Merge of ${m.files} files of ${m.keyspace}.${m.family}`, bytes(m.doneBytes) + " of " + bytes(m.totalBytes), m.doneBytes, m.totalBytes)),
    ...now.streams.map(s => task(`Stream ${s.outgoing ? "to" : "from"} ${s.peer}: ${s.purpose}`, `${number(s.rows)} rows, ${bytes(s.bytes)}`, s.bytes, Math.max(s.fileBytes, s.bytes))),
    ...(now.repair ? [task("Repair: " + now.repair.detail, `${now.repair.done} of ${now.repair.total} ranges`, now.repair.done, now.repair.total)] : []),
    ...(now.pendingRepairs ? [make("p", `Repairs that wait for other nodes: ${number(now.pendingRepairs)} ranges.`)] : [])];
  id("work").replaceChildren(...(work.length ? work : [make("p", "Nothing runs.", "quiet")]));
  const slower = now.slowSeconds ? `took ${time(now.slowSeconds)} or longer` : "are remembered as slow: slow_request_threshold is 0";
  table(id("slow"), `Data calls that ${slower}, the last first`, ["When", "Call", "Family", "Row", "Level", "Took", "Ended", "Client", "Work"],
    now.slow.map(s => [new Date(s.timeMillis).toLocaleTimeString(), s.method, s.keyspace + "." + s.family, [s.key || (s.rows ? number(s.rows) + " rows" : "a range"), "wrap"], s.level, [time(s.seconds), "n"], s.code, s.client, [s.work + (s.trace ? " trace=" + s.trace : "") || "–", "wrap"]]),
    now.slowSeconds ? `No call ${slower}.` : `No calls ${slower}.`);
  table(id("damage"), "Files set aside; docs/operations.md says what to do", ["Family", "File", "Since", "What was found"],
    now.damaged.map(d => [d.keyspace + "." + d.family, d.number, new Date(d.sinceSeconds * 1000).toLocaleString(), [d.reason, "wrap"]]), "No damaged files on this node.");
}
/** Says a new state once: a screen reader would read every update otherwise. */
function state(tone, text) {
  if (said === tone + text) return;
  said = tone + text;
  document.querySelector("#state .dot").className = "dot " + tone;
  id("state-text").textContent = text;
}
async function ask(path) {
  const answer = await fetch(path, { cache: "no-store", signal: AbortSignal.timeout(10000) });
  if (!answer.ok) throw new Error("status " + answer.status);
  return answer.json();
}
async function poll() {
  clearTimeout(waiting);
  if (!document.hidden) {
    try {
      [served, others] = await Promise.all([ask("/status.json"), ask("/nodes.json")]);
      const at = Date.now();
      served.ring.sort((a, b) => (a.positions[0] ?? 2) - (b.positions[0] ?? 2));
      take(served.node.id, served.figures, at, { self: true, failure: null, age: 0 });
      others.nodes.forEach(n => take(n.id, n.figures, at - n.ageMillis, { self: false, failure: n.failure, age: n.ageMillis }));
      document.title = served.node.cluster + " · " + served.node.address;
      id("cluster").textContent = served.node.cluster;
      id("node").textContent = `Node ${served.node.address}, Colonnade ${served.figures.version}, ${served.node.partitioner}, up for ${span(served.figures.upMillis / 1000)}`;
      redraw();
    } catch (failure) {
      state("bad", failure.message === "status 401" ? "You may not see this any more: load the page again" : "The node does not answer; what is shown is old");
      if (!/^status|fetch|aborted|timed out/i.test(failure.message)) console.error(failure);
    }
  }
  waiting = setTimeout(poll, PERIOD);
}
document.addEventListener("visibilitychange", () => { if (!document.hidden) poll(); });
poll();
