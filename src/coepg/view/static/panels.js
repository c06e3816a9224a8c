// The panels beside the picture. Texts of steps are only ever set as text, never as markup.
"use strict";

function make(name, className, ...content) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...content.filter((part) => part !== null && part !== undefined));
  return element;
}

function panel(id, title, ...content) {
  const section = make("div", "panel", make("h2", "", title), ...content);
  section.id = id;
  return section;
}

function pairs(entries) {
  const list = make("dl", "");
  for (const [name, value] of entries) {
    if (value === null || value === undefined || value === "") continue;
    list.append(make("dt", "", name), make("dd", "", String(value)));
  }
  return list;
}

function badge(isRight) {
  if (isRight === null) return null;
  return make("span", isRight ? "badge yes" : "badge no", isRight ? "right" : "wrong");
}

function shortNumber(value) {
  return Number.isInteger(value) ? String(value) : value.toFixed(3);
}

function taskPanel(record) {
  const place = record.num_steps
    ? `step ${record.step_index + 1} of ${record.num_steps}` : "";
  const text = make("p", "instruction", record.instruction);
  text.id = "instruction";
  return panel("task", "Task", text, pairs([
    ["this step", record.step_instruction],
    ["step id", record.step_id], ["episode", record.episode_id], ["place", place],
    ["task", record.task_name], ["split", record.split],
    ...Object.entries(record.tags),
  ]));
}

function goldPanel(record) {
  if (!record.gold_type) return null;
  return panel("gold", "Gold action", pairs([
    ["action", record.gold_type], ["value", record.gold_value], ["element", record.gold_element],
    ["description", record.target_expression],
    ["box", record.gold_box_px && record.gold_box_px.map((v) => +v.toFixed(1)).join(", ")],
    ["as right", record.alternative_boxes_px.length || null],
  ]));
}

function historyPanel(record) {
  if (!record.history.length) return panel("history", "History", make("p", "small", "first step"));
  return panel("history", "History", make("ol", "", ...record.history.map((h) => make("li", "", h))));
}

function answersPanel(record, chosen, choose) {
  if (!record.answers.length) return null;
  const answer = record.answers[chosen];
  const content = [];
  if (record.answers.length > 1) {
    content.push(make("div", "answers", ...record.answers.map((a, i) => {
      const button = make("button", "", a.label, a.is_right === null ? null
        : make("span", a.is_right ? "yes" : "no", a.is_right ? " ✓" : " ✗"));
      button.setAttribute("aria-pressed", String(i === chosen));
      button.addEventListener("click", () => choose(i));
      return button;
    })));
  }
  content.push(answer.is_parsed
    ? pairs([["action", answer.action_type], ["value", answer.value], ["element", answer.element]])
    : make("p", "no", "The answer could not be parsed."));
  content.push(verdictTable(answer));
  content.push(pairs(Object.entries(answer.facts).map(
    ([name, value]) => [name, typeof value === "number" ? shortNumber(value) : value])));
  if (answer.text) content.push(make("pre", "", answer.text));
  const found = panel("answer", "", ...content);
  found.querySelector("h2").append(`Answer: ${answer.label}`, badge(answer.is_right) || "");
  return found;
}

function verdictTable(answer) {
  const table = make("table", "");
  table.id = "verdicts";
  for (const [name, value] of Object.entries(answer.verdicts)) {
    const cell = make("td", "", "–");
    if (value === true || value === false) {
      cell.className = value ? "yes" : "no";
      cell.textContent = value ? "yes" : "no";
    } else if (value !== null) {
      cell.textContent = shortNumber(value);
    }
    table.append(make("tr", "", make("th", "", name), cell));
  }
  return table.rows.length ? table : null;
}
