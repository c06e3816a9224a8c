// The picture of a step with its boxes and points, drawn in pixels of the screenshot.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const NUM_COLOURS = 8;
const MARK_RADIUS = 7;      // shown pixels
const LABEL_SIZE = 13;      // shown pixels
const SMALL_SIDE = 96;      // shown pixels that a tiny picture is enlarged to
const MAX_ENLARGED = 3;

class Picture {
  constructor() {
    this.stage = document.getElementById("stage");
    this.frame = document.getElementById("frame");
    this.image = document.getElementById("image");
    this.overlay = document.getElementById("overlay");
    this.note = document.getElementById("picture-note");
    this.legend = document.getElementById("legend");
    this.record = null;
    this.marks = [];
    this.isZoomed = false;
    this.hasOverlay = true;
    this.scale = 1;
    this.frame.addEventListener("click", (event) => this.toggleZoom(event));
    this.image.addEventListener("error", () => this.say("The picture cannot be shown."));
    this.image.addEventListener("load", () => this.checkSize());
    window.addEventListener("resize", () => this.layout());
  }

  show(record, marks, url) {
    this.isZoomed = false;
    this.record = record;
    this.marks = marks;
    if (!record || !url) {
      this.image.removeAttribute("src");
      this.say(record ? record.image_note || "This step has no picture." : "");
    } else {
      this.note.hidden = true;
      this.stage.hidden = false;
      this.image.style.visibility = "hidden";   // not the last picture below these boxes
      this.image.src = url;
    }
    this.draw();
    this.layout();
  }

  setMarks(marks) {
    this.marks = marks;
    this.draw();
    this.layout();
  }

  say(text) {
    this.stage.hidden = true;
    this.note.hidden = !text;
    this.note.textContent = text;
  }

  // A picture of another size than the step says is drawn over the step's size, with a warning.
  checkSize() {
    this.image.style.visibility = "visible";
    if (!this.record) return;
    const { width, height } = this.record;
    const ratio = this.image.naturalWidth / this.image.naturalHeight;
    if (Math.abs(ratio / (width / height) - 1) > 0.02) {
      this.note.hidden = false;
      this.note.textContent = `The picture has ${this.image.naturalWidth}x`
        + `${this.image.naturalHeight} pixels, but the step says ${width}x${height}.`;
    }
  }

  toggleOverlay() {
    this.hasOverlay = !this.hasOverlay;
    this.overlay.style.visibility = this.hasOverlay ? "visible" : "hidden";
  }

  toggleZoom(event) {
    if (this.stage.hidden) return;
    const box = this.frame.getBoundingClientRect();
    const at = event ? [(event.clientX - box.left) / box.width,
      (event.clientY - box.top) / box.height] : [0.5, 0.5];
    this.isZoomed = !this.isZoomed;
    this.layout();
    this.stage.scrollLeft = at[0] * this.frame.offsetWidth - this.stage.clientWidth / 2;
    this.stage.scrollTop = at[1] * this.frame.offsetHeight - this.stage.clientHeight / 2;
  }

  layout() {
    if (!this.record || this.stage.hidden) return;
    const { width, height } = this.record;
    const room = Math.max(100, document.getElementById("picture").clientWidth - 2);
    const high = Math.max(100, window.innerHeight * 0.78);
    const most = Math.max(MAX_ENLARGED, SMALL_SIDE / Math.max(width, height));
    const fit = Math.min(room / width, high / height, most);
    this.scale = this.isZoomed ? Math.max(1, 2 * fit) : fit;
    this.frame.style.width = `${width * this.scale}px`;
    this.frame.style.height = `${height * this.scale}px`;
    this.stage.classList.toggle("zoomed", this.isZoomed);
    this.image.classList.toggle("pixelated", this.scale >= 2);
    for (const circle of this.overlay.querySelectorAll("circle")) {
      circle.setAttribute("r", MARK_RADIUS / this.scale);
    }
    for (const text of this.overlay.querySelectorAll("text")) {
      text.setAttribute("font-size", LABEL_SIZE / this.scale);
      text.setAttribute("stroke-width", 3 / this.scale);
      text.setAttribute("dx", 9 / this.scale);
      text.setAttribute("dy", -4 / this.scale);
    }
  }

  draw() {
    this.overlay.replaceChildren();
    this.legend.replaceChildren();
    const record = this.record;
    if (!record) return;
    if (record.width) this.overlay.setAttribute("viewBox", `0 0 ${record.width} ${record.height}`);
    for (const box of record.alternative_boxes_px) this.box(box, "alternative");
    if (record.gold_box_px) this.box(record.gold_box_px, "gold");
    if (record.gold_point_px) this.point(record.gold_point_px, "gold-point");
    if (record.gold_point_px && record.end_point_px) {
      const [[x0, y0], [x1, y1]] = [record.gold_point_px, record.end_point_px];
      this.overlay.append(svg("path", { class: "drag", d: `M${x0} ${y0}L${x1} ${y1}` }));
    }
    if (record.end_point_px) this.point(record.end_point_px, "gold-point end");
    if (record.gold_box_px) this.entry("swatch gold", "gold box");
    if (record.alternative_boxes_px.length) this.entry("swatch alternative", "as right");
    this.marks.forEach((mark, i) => this.mark(mark, `c${i % NUM_COLOURS}`));
  }

  box([x0, y0, x1, y1], name) {
    this.overlay.append(
      svg("rect", { class: name, x: x0, y: y0, width: x1 - x0, height: y1 - y0 }));
  }

  point([x, y], name) {
    this.overlay.append(svg("circle", { class: name, cx: x, cy: y }));
  }

  mark(mark, colour) {
    const parts = [mark.name];
    if (mark.is_hit !== null) parts.push(mark.is_hit ? "hit" : "miss");
    if (mark.weight !== null) parts.push(`weight ${mark.weight.toFixed(2)}`);
    if (mark.confidence !== null) parts.push(`confidence ${mark.confidence.toFixed(3)}`);
    if (mark.point_px) {
      parts.push(`(${mark.point_px.map((v) => +v.toFixed(1)).join(", ")})`);
      this.point(mark.point_px, `mark ${colour}`);
      const [x, y] = mark.point_px;
      const label = svg("text", { class: colour, x, y });
      label.textContent = mark.name;
      this.overlay.append(label);
    } else {
      parts.push("no point");
    }
    this.entry(`swatch ${colour}`, parts.join(", "));
  }

  entry(swatch, text) {
    const entry = document.createElement("span");
    const colour = document.createElement("span");
    colour.className = swatch;
    entry.append(colour, text);
    this.legend.append(entry);
  }
}

function svg(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}
