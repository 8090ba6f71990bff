// Shows a message with its verdict: words are coloured by their evidence. Text of messages is never parsed as HTML.


// Characters that are invisible or reorder text, as spamnb escapes them on a terminal; not a joiner in an emoji.
const IN_EMOJI = "(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})";
const INVISIBLE = "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\u{e0000}-\\u{e007f}]";
const HIDDEN = new RegExp(`((?!${IN_EMOJI})${INVISIBLE})`, "u");
const PIECES = /[\p{L}\p{N}\p{M}]+|[^\p{L}\p{N}\p{M}]/gu;
const WORD = /^[\p{L}\p{N}\p{M}]/u;
const CHIPS = 14;
const STRONG = 2; // log-odds of the deepest colour

/** Makes an element; `parts` are texts or elements. */
export function element(name, attributes = {}, ...parts) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...parts);
  return made;
}

/** Formats a probability so that it never looks more certain than it is. */
export function percent(p) {
  if (p === null) return "–";
  if (p > 0.9999) return ">99.99%";
  if (p < 0.0001) return "<0.01%";
  return `${(100 * p).toFixed(p > 0.99 || p < 0.01 ? 2 : 1)}%`;
}

/** A verdict as a coloured label: spam, ham, unsure, or a class of the model. */
export function badge(verdict, spam) {
  const kind = verdict === "unsure" ? "unsure" : verdict === spam ? "spam" : "ham";
  return element("span", { class: `badge ${kind}` }, verdict);
}

/** Appends text with hidden characters shown as escapes. */
export function appendText(target, text) {
  text.split(HIDDEN).forEach((piece, i) => {
    target.append(i % 2 ? element("span", { class: "escaped" }, escaped(piece)) : piece);
  });
}

function escaped(character) {
  return `\\u${character.codePointAt(0).toString(16).padStart(4, "0")}`;
}

/** The evidence of each word: its own, and half of that of each pair of words it belongs to.
    The first `headed` words are in the header of a mail, whose tokens begin with the name of a field. */
function wordWeights(words, headed, evidence) {
  const tokens = new Map(evidence.map((row) => [row.token, row.log_odds ?? 0]));
  const lower = words.map((word) => word.toLowerCase());
  return lower.map((word, i) => {
    if (i < headed) return tokens.get(`subject:${word}`) ?? tokens.get(`from:${word}`) ?? null;
    const pairs = [`${lower[i - 1]} ${word}`, `${word} ${lower[i + 1]}`];
    const own = tokens.get(word);
    const shared = pairs.map((pair) => tokens.get(pair)).filter((value) => value !== undefined);
    if (own === undefined && !shared.length) return null;
    return (own ?? 0) + shared.reduce((sum, value) => sum + value / 2, 0);
  });
}

const wordsOf = (text) => (text.match(PIECES) ?? []).filter((piece) => WORD.test(piece));

function colouredText({ text, is_mail: isMail, evidence }) {
  const box = element("p", { class: "message coloured", dir: "auto" });
  const pieces = text.match(PIECES) ?? [];
  const headed = isMail ? wordsOf(text.split("\n\n")[0]).length : 0;
  const weights = wordWeights(wordsOf(text), headed, evidence);
  let at = 0;
  let plain = "";
  for (const piece of pieces) {
    const weight = WORD.test(piece) ? weights[at++] : null;
    if (weight === null || Math.abs(weight) < 0.05) {
      plain += piece;
      continue;
    }
    appendText(box, plain);
    plain = "";
    const depth = Math.min(4, 1 + Math.floor((3 * Math.abs(weight)) / STRONG));
    const title = `${weight > 0 ? "+" : "−"}${Math.abs(weight).toFixed(2)}`;
    box.append(element("mark", { class: `${weight > 0 ? "pro" : "con"}${depth}`, title }, piece));
  }
  appendText(box, plain);
  return box;
}

function chip(row) {
  const value = row.log_odds === null ? "±∞" : `${row.log_odds > 0 ? "+" : "−"}${Math.abs(row.log_odds).toFixed(2)}`;
  const item = element("li", { class: row.log_odds < 0 ? "con" : "pro" });
  const token = element("bdi"); // a word from right to left does not turn the number around
  appendText(token, row.label ?? row.token);
  item.append(token, " ", element("span", { class: "muted" }, value));
  return item;
}

function reason(answer) {
  if (answer.listed) return `The sender is listed: ${answer.listed}.`;
  if (answer.taught_as) return `This message was taught as ${answer.taught_as}, word for word.`;
  if (answer.unsure_reason) return `Unsure: ${answer.unsure_reason}.`;
  return "";
}

/** The answer of /page/explain as elements: verdict, coloured text, strongest evidence. */
export function explanation(answer) {
  const { evidence } = answer;
  const head = element("p", { class: "verdict" }, badge(answer.verdict, answer.for));
  head.append(element("b", {}, percent(answer.probability)), ` P(${answer.for})`);
  const known = `${answer.known.toLocaleString("en")} known tokens, ${answer.unknown.toLocaleString("en")} unknown`;
  head.append(element("span", { class: "muted" }, known));
  const parts = [head];
  if (reason(answer)) parts.push(element("p", { class: "muted reason" }, reason(answer)));
  parts.push(colouredText(answer));
  const list = element("ul", { class: "chips", "aria-label": "Strongest evidence" });
  list.append(...evidence.slice(0, CHIPS).map(chip));
  const legend = element("p", { class: "muted legend" });
  legend.append(element("mark", { class: "pro3" }, answer.for), " ", element("mark", { class: "con3" }, answer.against));
  legend.append(" evidence for each class; the numbers are log-odds");
  parts.push(list, legend);
  return parts;
}
