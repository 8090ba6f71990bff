// Shows how good the filter is on labelled messages, how many messages arrive, and the model card.

import { request } from "./requests.js";
import { element } from "./message_view.js";

const FEWEST = 10; // labels below which a percentage would say nothing

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 600;
const HEIGHT = 64;

/** Loads the state of the server and shows it; returns the label of spam. */
export async function showOverview() {
  const state = await request("/page/state");
  const uses = state.models.map(({ name, kinds }) => `for ${usesOf(kinds)}: ${name}`);
  document.getElementById("models").textContent = `Model ${uses.join(" · ")}`;
  showCards(state.models);
  if (state.quality) {
    showQuality(state.quality);
    showVolume(state.volume);
  }
  return state.spam;
}

/** Says what a model is used for, such as "mail and long texts". */
function usesOf(kinds) {
  if (kinds.length === 1 && kinds[0] === "text") return "short texts";
  const names = { mail: "mail", text: "texts", "long-text": kinds.includes("text") ? "" : "long texts" };
  return Object.keys(names).filter((kind) => kinds.includes(kind) && names[kind]).map((kind) => names[kind]).join(" and ");
}

function showCards(models) {
  const cards = models.map((model) => {
    const list = element("dl");
    for (const [name, value] of model.rows) list.append(element("dt", {}, name), element("dd", {}, value));
    return element("div", { class: "card" }, element("h3", {}, `For ${usesOf(model.kinds)}`), list);
  });
  document.getElementById("cards").replaceChildren(...cards);
}

const share = (value) => `${(100 * value).toFixed(1)}%`;

function tile(name, { part, of, interval }, note) {
  const box = element("div", { class: "tile" });
  const enough = of >= FEWEST;
  box.append(element("b", {}, enough ? share(part / of) : "–"), element("span", {}, name));
  box.append(element("span", {}, note));
  if (!enough) box.append(element("span", {}, "too few to tell"));
  else box.append(element("span", {}, `95% CI ${share(interval[0])}–${share(interval[1])}`));
  return box;
}

function showQuality(quality) {
  const { labelled, accuracy, false_positives: lost, misses } = quality;
  const note = labelled
    ? `From ${labelled.toLocaleString("en")} ${labelled === 1 ? "message" : "different messages"} that you labelled, by the first verdict on each. Label right verdicts too: corrections alone make the filter look worse than it is.`
    : "Label messages as spam or ham, right verdicts too, and the accuracy appears here.";
  document.getElementById("quality-note").textContent = note;
  const tiles = [
    tile("accuracy", accuracy, `${accuracy.part} of ${accuracy.of}`),
    tile("false positives", lost, `${lost.part} of ${lost.of} ham flagged`),
    tile("misses", misses, `${misses.part} of ${misses.of} spam let through`),
  ];
  document.getElementById("tiles").replaceChildren(...(labelled ? tiles : []));
}

function shape(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function showVolume({ begin, end, total, messages, spam }) {
  const figure = document.getElementById("volume");
  figure.hidden = !total;
  if (!total) return;
  const spams = spam.reduce((sum, n) => sum + n, 0);
  const label = `${count(total)}, ${share(spams / total)} spam`;
  const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label, preserveAspectRatio: "none" });
  const step = WIDTH / messages.length;
  const most = Math.max(...messages);
  messages.forEach((n, i) => {
    for (const [count, name] of [[n, "volume-all"], [spam[i], "volume-spam"]]) {
      const height = (HEIGHT * count) / most;
      svg.append(shape("rect", { class: name, x: i * step, y: HEIGHT - height, width: step - 2, height }));
    }
  });
  const options = end - begin < 86400 ? { timeStyle: "short" } : { dateStyle: "medium" };
  const [first, last] = [begin, end].map((time) => new Date(1000 * time).toLocaleString("en-GB", options));
  const axis = element("p", { class: "axis muted" });
  axis.append(...[first, `tallest bar: ${count(most)}`, last].map((text) => element("span", {}, text)));
  const caption = element("figcaption", {}, element("i", { class: "key spam" }), "spam ", element("i", { class: "key all" }), `other · ${label}`);
  figure.replaceChildren(svg, axis, caption);
}

const count = (n) => `${n.toLocaleString("en")} ${n === 1 ? "message" : "messages"}`;

