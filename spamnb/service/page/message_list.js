// Lists recent messages: filter, search, and one selected message with its evidence and buttons.

import { request } from "./requests.js";
import { appendText, badge, element, explanation, percent } from "./message_view.js";

const list = document.getElementById("messages");
const state = { view: "all", search: "", rows: [], selected: null, opened: null, spam: "spam", loading: 0, shown: "" };

/** Starts the list; `teach(row, label)` and `undo({ lesson, model })` change the model. */
export function startList(spam, teach, undo) {
  state.spam = spam;
  list.addEventListener("click", (event) => clicked(event, teach, undo));
  list.addEventListener("focusin", (event) => select(idOf(event.target)));
  for (const button of document.querySelectorAll("[data-view]")) {
    button.addEventListener("click", () => chooseView(button.dataset.view));
  }
  const search = document.getElementById("search");
  let waiting;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      state.search = search.value;
      load();
    }, 200);
  });
  return load();
}

function chooseView(view) {
  state.view = view;
  state.selected = null;
  state.opened = null;
  for (const button of document.querySelectorAll("[data-view]")) {
    button.setAttribute("aria-pressed", String(button.dataset.view === view));
  }
  return load();
}

/** Loads the list again; the selected message stays selected. */
export async function load() {
  const turn = ++state.loading;
  const query = new URLSearchParams({ view: state.view, search: state.search });
  const answer = await request(`/page/messages?${query}`);
  if (turn !== state.loading) return;
  if (state.shown === JSON.stringify(answer)) return;
  state.shown = JSON.stringify(answer);
  state.rows = answer.messages;
  if (!selectedRow()) state.selected = null;
  redraw();
  const note = document.getElementById("list-note");
  const nothing = state.search || state.view !== "all" ? "No message matches." : "No messages yet.";
  note.textContent = !state.rows.length ? nothing : answer.more ? "Only the first 100 are shown: search for others." : "";
}

/** Draws all rows anew; the focus stays where it was. */
function redraw() {
  const focused = document.activeElement.closest("[data-action]");
  const id = focused?.closest("li")?.dataset.id;
  list.replaceChildren(...state.rows.map(item));
  if (id) list.querySelector(`[data-id="${id}"] [data-action="${focused.dataset.action}"]`)?.focus();
  showOpened();
}

/** The selected message, if it is in the list. */
export function selectedRow() {
  return state.rows.find((row) => row.id === state.selected);
}

/** Selects the next message, or the one before, and moves the focus there: Enter belongs to the selected message. */
export function move(step) {
  const at = state.rows.findIndex((row) => row.id === state.selected);
  const next = state.rows[Math.min(Math.max(at + step, 0), state.rows.length - 1)];
  if (!next) return;
  const entry = list.querySelector(`[data-id="${next.id}"]`);
  entry.querySelector(".excerpt").focus({ preventScroll: true });
  entry.scrollIntoView({ block: "nearest" });
}

/** Opens the selected message or closes it. */
export function toggle() {
  state.opened = state.opened === state.selected ? null : state.selected;
  showOpened();
}

/** Selects a message; whatever has the focus in the list belongs to the selected one. */
function select(id) {
  state.selected = id;
  for (const entry of list.children) entry.setAttribute("aria-current", String(Number(entry.dataset.id) === id));
}

const idOf = (target) => Number(target.closest("li[data-id]").dataset.id);

function clicked(event, teach, undo) {
  const entry = event.target.closest("li[data-id]");
  if (!entry) return;
  const id = Number(entry.dataset.id);
  const row = state.rows.find((one) => one.id === id);
  select(id);
  const action = event.target.closest("[data-action]")?.dataset.action;
  if (action === "undo") undo(row);
  else if (action === "open") toggle();
  else if (action) teach(row, action);
}

function item(row) {
  const entry = element("li", { "data-id": row.id, "aria-current": String(row.id === state.selected) });
  const head = element("div", { class: "item-head" });
  if (row.was) head.append(element("span", { class: "muted" }, `was ${row.was}, now`));
  head.append(badge(row.verdict, state.spam));
  head.append(element("span", { class: "number" }, `P(${state.spam}) ${percent(row.probability)}`));
  if (row.label) head.append(element("span", { class: "label-note" }, `labelled ${row.label}`));
  if (row.copies > 1) {
    const copies = element("span", { class: "hidden" }, " near-duplicates");
    head.append(element("span", { class: "copies" }, `×${row.copies.toLocaleString("en")}`, copies));
  }
  head.append(element("span", { class: "muted time" }, `${row.kind} · ${when(row.time)}`));
  const text = element("button", { type: "button", class: "excerpt", "data-action": "open", "aria-expanded": "false", dir: "auto" });
  appendText(text, row.text.replace(/\s+/g, " "));
  const body = element("div", { class: "item-body" }, text, buttons(row));
  entry.append(head, body);
  return entry;
}

function buttons(row) {
  const box = element("div", { class: "actions" });
  if (!row.kept) return element("div", { class: "muted" }, "too large to label");
  for (const [label, name] of [["spam", "Spam"], ["ham", "Ham"]]) {
    const chosen = row.label !== "" && (row.label === state.spam) === (label === "spam");
    const attributes = { class: label, "data-action": label, "aria-pressed": String(chosen), "aria-label": `Label as ${label}` };
    box.append(element("button", { type: "button", ...attributes }, name));
  }
  if (row.lesson) box.append(element("button", { type: "button", "data-action": "undo" }, "Undo"));
  return box;
}

async function showOpened() {
  for (const entry of list.children) {
    const open = Number(entry.dataset.id) === state.opened;
    entry.querySelector(".excerpt").setAttribute("aria-expanded", String(open));
    if (!open) entry.querySelector(".opened")?.remove();
  }
  const entry = list.querySelector(`[data-id="${state.opened}"]`);
  if (!entry || entry.querySelector(".opened")) return;
  const box = element("div", { class: "opened" });
  entry.append(box);
  try {
    box.replaceChildren(...explanation(await request(`/page/messages/${state.opened}/explain`)));
  } catch (error) {
    box.textContent = error.message;
  }
}

function when(time) {
  const date = new Date(1000 * time);
  const today = date.toDateString() === new Date().toDateString();
  return date.toLocaleString("en-GB", today ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" });
}
