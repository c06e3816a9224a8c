// The page: which collection, which filters, which step; keys; the address.
"use strict";

const PAGE_ROWS = 50;

class Page {
  constructor(backend) {
    this.backend = backend;
    this.picture = new Picture();
    this.key = "";
    this.filters = Object.fromEntries(FILTERS.map((name) => [name, ""]));
    this.position = 0;
    this.matched = 0;
    this.about = null;
    this.list = { rows: [], offset: -1 };
    this.record = null;
    this.answer = 0;
    this.turn = 0;        // answers to requests that are no longer wanted are dropped
  }

  async start() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    this.listen();
    for (const name of FILTERS) this.filters[name] = wanted.get(name) || "";
    await this.open(wanted.get("collection"), Number(wanted.get("step") || 1) - 1);
  }

  // Reads what there is, chooses a collection, and shows the step at a position.
  open(key, position) {
    return this.guarded(async (isWanted) => {
      const about = await this.backend.about();
      if (!isWanted()) return;
      byId("title").textContent = document.title = `${about.kind} ${about.title}`;
      options(byId("collection"), about.collections.map((c) => [c.key, c.label]));
      if (!about.collections.length) {
        throw new Error("nothing is written yet; r reads again");
      }
      const keys = about.collections.map((c) => c.key);
      this.key = keys.includes(key) ? key : keys[0];
      byId("collection").value = this.key;
      const found = await this.backend.collection(this.key);
      if (!isWanted()) return;
      this.describe(found);
      await this.load(Math.max(0, position), isWanted, true);
    });
  }

  describe(found) {
    byId("notes").replaceChildren(...found.notes.map((note) => make("p", "", note)));
    for (const [name, values] of Object.entries(found.choices)) {
      const offered = values.map(({ value, count }) => [value, `${value} (${count})`]);
      options(byId(name), [["", "all"], ...offered]);
      byId(name).parentElement.hidden = values.length < 2;
      if (!values.some(({ value }) => value === this.filters[name])) this.filters[name] = "";
      byId(name).value = this.filters[name];
    }
    byId("verdict").parentElement.hidden = !found.has_verdicts;
    byId("next-wrong").hidden = !found.has_verdicts;
    if (!found.has_verdicts) this.filters.verdict = "";
    byId("verdict").value = this.filters.verdict;
    byId("text").value = this.filters.text;
  }

  go(position) {
    return this.guarded((isWanted) => this.load(position, isWanted, false));
  }

  async load(position, isWanted, isNew) {
    const offset = Math.floor(position / PAGE_ROWS) * PAGE_ROWS;
    if (isNew || offset !== this.list.offset) {
      const list = await this.backend.rows(this.key, this.filters, offset, PAGE_ROWS);
      if (!isWanted()) return;
      if (list.matched && position >= list.matched) {
        return this.load(list.matched - 1, isWanted, true);
      }
      this.list = list;
      this.matched = list.matched;
    }
    this.position = position;
    this.showList();
    const row = this.list.rows[position - this.list.offset];
    this.remember();
    if (!row) {
      this.showStep(null);
      return;
    }
    try {
      const record = await this.backend.step(this.key, row.row);
      if (isWanted()) this.showStep(record);
    } catch (error) {
      if (!isWanted()) return;
      this.showStep(null);
      throw error;
    }
  }

  async guarded(work) {
    const turn = ++this.turn;
    const isWanted = () => turn === this.turn;
    for (const old of document.querySelectorAll("#notes .error")) old.remove();
    document.body.dataset.state = "loading";
    try {
      await work(isWanted);
    } catch (error) {
      if (isWanted()) byId("notes").append(make("p", "error", error.message));
    }
    if (isWanted()) document.body.dataset.state = "ready";
  }

  showList() {
    byId("position").value = this.matched ? this.position + 1 : "";
    byId("position").max = this.matched;
    byId("count").textContent = this.matched === this.list.count
      ? `of ${this.matched}` : `of ${this.matched} (${this.list.count} in all)`;
    const buttons = this.list.rows.map((row, i) => {
      const number = this.list.offset + i;
      const state = row.is_right === null ? "" : row.is_right ? "right" : "wrong";
      const button = make("button", state, `${number + 1} ${row.action_type || ""}`,
        make("span", "", row.instruction || row.step_id));
      button.dataset.stepId = row.step_id;
      if (number === this.position) button.setAttribute("aria-current", "true");
      button.addEventListener("click", () => this.go(number));
      return button;
    });
    byId("list").replaceChildren(...buttons);
    const current = byId("list").querySelector("[aria-current]");
    if (current) current.scrollIntoView({ block: "nearest" });
  }

  showStep(record) {
    this.record = record;
    this.answer = 0;
    const url = record && record.image_hash ? this.backend.imageUrl(record.image_hash) : "";
    this.picture.show(record, this.marks(), url);
    if (!record && !this.matched) this.picture.say("No step fits.");
    this.showPanels();
  }

  showPanels() {
    const record = this.record;
    const panels = record ? [
      taskPanel(record), goldPanel(record),
      answersPanel(record, this.answer, (i) => this.chooseAnswer(i)), historyPanel(record),
      record.notes.length ? panel("step-notes", "Notes", ...record.notes.map((n) => make("p", "", n)))
        : null,
    ] : [];
    byId("panels").replaceChildren(...panels.filter((p) => p !== null));
  }

  marks() {
    const answer = this.record && this.record.answers[this.answer];
    return answer ? answer.marks : [];
  }

  chooseAnswer(number) {
    if (!this.record || number < 0 || number >= this.record.answers.length) return;
    this.answer = number;
    this.picture.setMarks(this.marks());
    this.showPanels();
  }

  move(by) {
    const to = this.position + by;
    if (to >= 0 && to < this.matched) this.go(to);
  }

  nextWrong() {
    return this.guarded(async (isWanted) => {
      const { position } = await this.backend.nextWrong(this.key, this.filters, this.position);
      if (!isWanted()) return;
      if (position === null) throw new Error("no step of what is listed is wrong");
      await this.load(position, isWanted, false);
    });
  }

  filter(name, value) {
    this.filters[name] = value;
    return this.guarded((isWanted) => this.load(0, isWanted, true));
  }

  remember() {
    const values = { collection: this.key, step: this.position + 1 };
    for (const name of FILTERS) if (this.filters[name]) values[name] = this.filters[name];
    history.replaceState(null, "", "#" + new URLSearchParams(values));
  }

  listen() {
    byId("collection").addEventListener("change", (e) => this.open(e.target.value, 0));
    for (const name of FILTERS.filter((n) => n !== "text")) {
      byId(name).addEventListener("change", (e) => this.filter(name, e.target.value));
    }
    let pause = 0;
    byId("text").addEventListener("input", (e) => {
      clearTimeout(pause);
      pause = setTimeout(() => this.filter("text", e.target.value), 200);
    });
    byId("position").addEventListener("change", (e) => {
      const wanted = Math.round(Number(e.target.value)) - 1;
      if (this.matched) this.go(Math.min(Math.max(0, wanted || 0), this.matched - 1));
    });
    byId("previous").addEventListener("click", () => this.move(-1));
    byId("next").addEventListener("click", () => this.move(1));
    byId("next-wrong").addEventListener("click", () => this.nextWrong());
    byId("help-button").addEventListener("click", () => byId("help").showModal());
    document.addEventListener("keydown", (event) => this.press(event));
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
    const isTyping = ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName);
    if (isTyping) {
      const isText = event.target.id === "text" && event.key === "Enter";
      if (event.key === "Escape" || isText) {
        event.preventDefault();   // a browser would empty the search
        event.target.blur();
      }
      return;
    }
    const keys = {
      j: () => this.move(1), ArrowRight: () => this.move(1), ArrowDown: () => this.move(1),
      k: () => this.move(-1), ArrowLeft: () => this.move(-1), ArrowUp: () => this.move(-1),
      n: () => byId("next-wrong").hidden || this.nextWrong(),
      "[": () => this.chooseAnswer(this.answer - 1), "]": () => this.chooseAnswer(this.answer + 1),
      b: () => this.picture.toggleOverlay(), z: () => this.picture.toggleZoom(null),
      "/": () => byId("text").focus(), g: () => byId("position").select(),
      r: () => this.open(this.key, this.position), "?": () => byId("help").showModal(),
    };
    if (keys[event.key]) {
      event.preventDefault();
      keys[event.key]();
    }
  }
}

function byId(id) {
  return document.getElementById(id);
}

function options(select, entries) {
  select.replaceChildren(...entries.map(([value, label]) => {
    const option = make("option", "", label);
    option.value = value;
    return option;
  }));
}

new Page(openBackend()).start();
