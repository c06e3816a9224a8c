// Where the page gets its steps: from the server, or from the data inside an exported file.
"use strict";

const FILTERS = ["verdict", "action_type", "task_name", "app", "split", "text"];

class ServerBackend {
  about() { return this.get("about", {}); }
  collection(key) { return this.get("collection", { collection: key }); }
  rows(key, filters, offset, limit) {
    return this.get("rows", { collection: key, ...filters, offset, limit });
  }
  nextWrong(key, filters, position) {
    return this.get("next-wrong", { collection: key, ...filters, position });
  }
  step(key, row) { return this.get("step", { collection: key, row }); }
  imageUrl(hash) { return "image/" + hash; }

  async get(call, values) {
    let answer;
    try {
      answer = await fetch("api/" + call + "?" + new URLSearchParams(values));
    } catch {
      throw new Error("the server does not answer; is `coepg view` still running?");
    }
    const found = await answer.json();
    if (!answer.ok) throw new Error(found.error);
    return found;
  }
}

class EmbeddedBackend {
  constructor(data) {
    this.data = data;
    this.parts = new Map(data.collections.map((part) => [part.key, part]));
  }

  async about() {
    const collections = this.data.collections.map(({ key, label }) => ({ key, label }));
    return { title: this.data.title, kind: this.data.kind, collections };
  }

  async collection(key) {
    const part = this.part(key);
    const choices = {};
    for (const name of ["action_type", "task_name", "app", "split"]) {
      const counts = new Map();
      for (const row of part.rows) {
        if (row[name]) counts.set(row[name], (counts.get(row[name]) || 0) + 1);
      }
      choices[name] = [...counts].map(([value, count]) => ({ value, count }))
        .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
    }
    return {
      key, label: part.label, count: part.rows.length, choices, notes: part.notes,
      has_verdicts: part.rows.some((row) => row.is_right !== null),
    };
  }

  async rows(key, filters, offset, limit) {
    const found = this.selected(key, filters);
    const rows = found.slice(offset, offset + limit);
    return { count: this.part(key).rows.length, matched: found.length, offset, rows };
  }

  async nextWrong(key, filters, position) {
    const found = this.selected(key, filters);
    const wrong = found.flatMap((row, i) => (row.is_right === false ? [i] : []));
    const later = wrong.find((i) => i > position);
    return { position: later ?? wrong[0] ?? null };
  }

  async step(key, row) {
    const part = this.part(key);
    const step = part.steps[part.rows.findIndex((r) => r.row === row)];
    if (step.error) throw new Error(step.error);
    return step;
  }

  imageUrl(hash) { return this.data.images[hash] || ""; }

  part(key) {
    const part = this.parts.get(key);
    if (!part) throw new Error("no collection " + key);
    return part;
  }

  selected(key, filters) {
    const text = (filters.text || "").toLowerCase();
    const verdict = { wrong: false, right: true, none: null }[filters.verdict];
    return this.part(key).rows.filter((row) =>
      (!filters.verdict || row.is_right === verdict)
      && ["action_type", "task_name", "app", "split"].every(
        (name) => !filters[name] || row[name] === filters[name])
      && (!text || [row.instruction, row.step_id, row.episode_id].some(
        (value) => (value || "").toLowerCase().includes(text))));
  }
}

function openBackend() {
  const data = document.getElementById("data");
  return data ? new EmbeddedBackend(JSON.parse(data.textContent)) : new ServerBackend();
}
