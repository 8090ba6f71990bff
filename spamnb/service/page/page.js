// Starts the page: the form for one message, lessons and undo, keys.

import { post } from "./requests.js";
import { element, explanation } from "./message_view.js";
import { load, move, selectedRow, startList, toggle } from "./message_list.js";
import { showOverview } from "./overview.js";

const REFRESH = 5000; // milliseconds
const NOTICE = 6000; // milliseconds until a notice fades; the buttons and the key for undo work longer
const hasHistory = document.body.dataset.history !== "0";
const byId = (id) => document.getElementById(id);
let tried = null; // the message in the form: a string, or the bytes of a mail
let lastLesson = null; // { lesson, model }
let hiding;

function notify(text, { error = false, undo = false } = {}) {
  clearTimeout(hiding);
  hiding = setTimeout(hideNotice, error ? 2 * NOTICE : NOTICE);
  byId("notice").hidden = false;
  byId("notice").classList.toggle("error", error);
  byId("notice-text").textContent = text;
  byId("notice-undo").hidden = !undo;
}

/** Hides the notice, unless the event is in it: what it covers is needed for the next step. */
function hideNotice(event) {
  if (!event?.target.closest("#notice")) byId("notice").hidden = true;
}

/** Runs an action; a refusal is shown, never swallowed. */
async function attempt(action) {
  try {
    return await action();
  } catch (error) {
    notify(error.message, { error: true });
    return undefined;
  }
}

function effectText(effect) {
  if (!effect || !effect.messages) return "";
  const [changed, all] = [effect.changed, effect.messages].map((n) => n.toLocaleString("en"));
  if (!effect.changed) return " No verdict on recent messages changed.";
  return ` This changed the verdict on ${changed} of the last ${all} messages.`;
}

async function refresh() {
  if (hasHistory) await load();
  await showOverview();
}

async function learn(path, message, label) {
  const answer = await post(`${path}?label=${label}`, message);
  if (answer.lesson) lastLesson = answer;
  const text = answer.lesson ? `Learned as ${label}.${effectText(answer.effect)}` : `Already learned as ${label}.`;
  notify(text, { undo: Boolean(answer.lesson) });
  await refresh();
}

const teachRow = (row, label) => attempt(() => learn(`/page/messages/${row.id}/learn`, undefined, label));

function undo({ lesson, model }) {
  return attempt(async () => {
    const answer = await post(`/page/undo?lesson=${lesson}&model=${encodeURIComponent(model)}`);
    if (lesson === lastLesson?.lesson && model === lastLesson.model) lastLesson = null;
    notify(`Lesson ${lesson} is undone.${effectText(answer.effect)}`);
    await refresh();
    if (tried !== null) await check();
  });
}

// One message

async function check() {
  const answer = await post("/page/explain", tried);
  const actions = element("div", { class: "actions" });
  for (const [label, name] of [["spam", "This is spam"], ["ham", "This is ham"]]) {
    const button = element("button", { type: "button", class: label, "data-label": label }, name);
    button.addEventListener("click", () => attempt(() => teachTried(label)));
    actions.append(button);
  }
  byId("try-result").replaceChildren(...explanation(answer), actions);
  byId("try-result").hidden = false;
}

async function teachTried(label) {
  await learn("/page/learn", tried, label);
  await check();
}

async function openFile(file) {
  const isMail = file.type === "message/rfc822" || file.name.toLowerCase().endsWith(".eml");
  tried = isMail ? new Uint8Array(await file.arrayBuffer()) : await file.text();
  byId("try-text").value = "";
  byId("try-text").placeholder = file.name;
  await attempt(check);
}

function startForm() {
  const form = byId("try-form");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = byId("try-text").value;
    if (text.trim()) tried = text;
    if (tried !== null) attempt(check);
  });
  byId("try-text").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  byId("try-file").addEventListener("change", (event) => event.target.files[0] && openFile(event.target.files[0]));
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) openFile(event.dataTransfer.files[0]);
  });
}

// Keys

const KEYS = {
  j: () => move(1),
  k: () => move(-1),
  Enter: () => selectedRow() && toggle(),
  s: () => selectedRow() && teachRow(selectedRow(), "spam"),
  h: () => selectedRow() && teachRow(selectedRow(), "ham"),
  u: () => undoLast(),
  "/": () => byId("search")?.focus(),
};

function undoLast() {
  const taught = lastLesson ?? selectedRow();
  if (taught?.lesson) undo(taught);
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("token-dialog").open) return;
  if (event.key === "Escape") document.activeElement.blur();
  const typing = event.target.closest("input, textarea");
  if (!typing && KEYS[event.key]) hideNotice(event);
  const pressing = event.key === "Enter" && event.target.closest("button, summary, label");
  if (typing || pressing || !KEYS[event.key]) return;
  event.preventDefault();
  KEYS[event.key]();
}

async function start() {
  startForm();
  byId("notice-undo").addEventListener("click", undoLast);
  document.addEventListener("keydown", pressed);
  document.addEventListener("pointerdown", hideNotice);
  const spam = await showOverview();
  if (!hasHistory) return;
  await startList(spam, teachRow, undo);
  setInterval(() => document.hidden || attempt(refresh), REFRESH);
}

attempt(start);
