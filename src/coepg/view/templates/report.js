"use strict";
// Examples: a card is shown if it agrees with every filter that is set.
const chosen = {};
const cards = [...document.querySelectorAll(".card")];
function applyFilters() {
  let count = 0;
  for (const card of cards) {
    card.hidden = Object.entries(chosen).some(([key, value]) => value && card.dataset[key] !== value);
    if (!card.hidden) count += 1;
  }
  document.getElementById("shown").textContent = `${count} of ${cards.length}`;
  document.getElementById("none").hidden = count > 0;
}
for (const group of document.querySelectorAll(".choice")) {
  const buttons = [...group.querySelectorAll("button")];
  for (const button of buttons) {
    button.addEventListener("click", () => {
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
      chosen[group.dataset.filter] = button.dataset.value;
      applyFilters();
    });
  }
}
for (const select of document.querySelectorAll("select[data-filter]")) {
  select.addEventListener("change", () => {
    chosen[select.dataset.filter] = select.value;
    applyFilters();
  });
}
// Charts: read off the values at the pointer.
for (const svg of document.querySelectorAll("svg.chart")) {
  const chart = JSON.parse(svg.dataset.chart);
  const cursor = svg.querySelector(".cursor");
  const readout = svg.parentElement.querySelector(".readout");
  const width = svg.viewBox.baseVal.width;
  const format = (y) => (chart.share ? `${(100 * y).toFixed(1)} %` : String(+y.toPrecision(4)));
  const nearest = (points, x) =>
    points.reduce((best, p) => (Math.abs(p[0] - x) < Math.abs(best[0] - x) ? p : best));
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const share =
      (((event.clientX - box.left) / box.width) * width - chart.left) / (chart.right - chart.left);
    if (share < 0 || share > 1) return;
    const x = chart.x[0] + share * (chart.x[1] - chart.x[0]);
    const found = chart.series.map((s) => [s.name, nearest(s.points, x)]);
    const at = nearest(found.map((f) => f[1]), x)[0];
    const left =
      chart.left + ((at - chart.x[0]) / (chart.x[1] - chart.x[0])) * (chart.right - chart.left);
    cursor.setAttribute("x1", left);
    cursor.setAttribute("x2", left);
    cursor.setAttribute("visibility", "visible");
    readout.textContent = [
      `${chart.label} ${+at.toPrecision(4)}`,
      ...found.map(([name, p]) => `${name}: ${format(p[1])}`),
    ].join("\n");
    readout.hidden = false;
    const px = (left / width) * box.width;
    const flip = px > box.width / 2;
    readout.style.left = flip ? "auto" : `${px + 8}px`;
    readout.style.right = flip ? `${box.width - px + 8}px` : "auto";
  });
  svg.addEventListener("pointerleave", () => {
    cursor.setAttribute("visibility", "hidden");
    readout.hidden = true;
  });
}
