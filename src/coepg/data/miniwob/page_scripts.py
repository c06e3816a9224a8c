"""The JavaScript that starts an episode, waits, and measures. None of it does the task."""

from __future__ import annotations

QUIET_STYLE = """
* { caret-color: transparent !important; transition: none !important;
    animation: none !important; scroll-behavior: auto !important; }
html { overflow: hidden !important; }
#click-canvas, #reward-display, #sync-task-cover { display: none !important; }
"""
"""Nothing blinks or glides; the page's own score display and start button are away."""

START_EPISODE = """
async ({seed, limitMs}) => {
  if (window.jQuery) jQuery.fx.off = true;
  await document.fonts.ready;
  core.EPISODE_MAX_TIME = limitMs;
  Math.seedrandom(seed);
  core.startEpisodeReal();
  const said = core.getUtterance();
  return typeof said === 'string' ? said : said.utterance;
}
"""

SETTLED = """
async () => {
  const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)));
  for (let tries = 0; tries < 50; tries++) {
    await frame();
    if ([...document.images].every(i => i.complete)) break;
  }
  await frame();
}
"""

ELEMENT_BOX = """
(element, [right, top, bottom]) => {
  const area = r => r.width * r.height;
  const pieces = [...element.getClientRects()].filter(r => area(r) > 0);
  if (!pieces.length) return null;
  const whole = pieces.reduce((a, b) => (area(b) > area(a) ? b : a));
  let [x0, y0, x1, y1] = [whole.left, whole.top, whole.right, whole.bottom];
  for (const box of element.tagName === 'LABEL' ? element.querySelectorAll('input') : []) {
    const r = box.getBoundingClientRect();
    x0 = Math.min(x0, r.left); y0 = Math.min(y0, r.top);
    x1 = Math.max(x1, r.right); y1 = Math.max(y1, r.bottom);
  }
  const full = (x1 - x0) * (y1 - y0);
  for (let p = element.parentElement; p && p !== document.body; p = p.parentElement) {
    const style = getComputedStyle(p);
    if (style.overflowX === 'visible' && style.overflowY === 'visible') continue;
    const r = p.getBoundingClientRect();
    const left = r.left + p.clientLeft, upper = r.top + p.clientTop;
    x0 = Math.max(x0, left); x1 = Math.min(x1, left + (p.clientWidth || r.width));
    y0 = Math.max(y0, upper); y1 = Math.min(y1, upper + (p.clientHeight || r.height));
  }
  x0 = Math.max(x0, 0); x1 = Math.min(x1, right);
  y0 = Math.max(y0, top); y1 = Math.min(y1, bottom);
  if (x1 - x0 < 2 || y1 - y0 < 2) return null;
  const share = (x1 - x0) * (y1 - y0) / full;
  return [Math.max(0, Math.floor(x0)), Math.max(0, Math.floor(y0 - top)),
          Math.min(right, Math.ceil(x1)), Math.min(bottom - top, Math.ceil(y1 - top)), share];
}
"""
"""``[x0, y0, x1, y1, share]`` of an element's largest piece, clipped to what can be seen."""

ELEMENT_COVERED = """
(element, [x, y]) => {
  const hit = document.elementFromPoint(x, y);
  return !hit || !(element.contains(hit) || hit.contains(element));
}
"""

SCREEN_TEXT = r"""
([right, top, bottom]) => {
  const found = [];
  const roleOf = element => {
    for (let e = element; e && e.id !== 'area' && e !== document.body; e = e.parentElement) {
      const tag = e.tagName.toLowerCase(), style = e.classList;
      if (tag === 'button' || style.contains('final') || style.contains('ui-submit'))
        return 'button';
      if (style.contains('ui-tabs-anchor')) return 'tab';
      if (tag === 'a' || style.contains('alink') || style.contains('menu-link')) return 'link';
      if (style.contains('ui-menu-item')) return 'menu item';
      if (tag === 'label') {
        const box = e.querySelector('input[type=checkbox], input[type=radio]');
        if (box) return box.type === 'radio' ? 'radio button' : 'checkbox';
      }
      if (tag === 'text' || tag === 'tspan') return 'shape';
      if (tag === 'td' || tag === 'th') return 'cell';
      if (tag === 'li') return 'list item';
      if (/^h[1-6]$/.test(tag)) return 'heading';
    }
    return 'text';
  };
  const add = (text, r, element, role) => {
    text = text.replace(/\s+/g, ' ').trim();
    let [x0, y0, x1, y1] = [r.left, r.top, r.right, r.bottom];
    for (let p = element; p && p !== document.body; p = p.parentElement) {
      const style = getComputedStyle(p);
      if (style.overflowX === 'visible' && style.overflowY === 'visible') continue;
      const c = p.getBoundingClientRect();
      x0 = Math.max(x0, c.left); x1 = Math.min(x1, c.right);
      y0 = Math.max(y0, c.top); y1 = Math.min(y1, c.bottom);
    }
    x0 = Math.max(0, x0); y0 = Math.max(top, y0);
    x1 = Math.min(right, x1); y1 = Math.min(bottom, y1);
    if (!text || x1 - x0 < 1 || y1 - y0 < 3 || y1 - y0 < 0.4 * (r.bottom - r.top)) return;
    const hit = document.elementFromPoint((x0 + x1) / 2, (y0 + y1) / 2);
    if (hit && !(element.contains(hit) || hit.contains(element))) return;
    found.push({text, role, box: [Math.floor(x0), Math.floor(y0 - top),
      Math.min(right, Math.ceil(x1)), Math.min(bottom - top, Math.ceil(y1 - top))]});
  };
  const lines = (node, element, role, shift) => {
    const range = document.createRange();
    let line = null;
    const flush = () => { if (line) add(line.text, line.rect, element, role); line = null; };
    for (const word of node.data.matchAll(/\S+/g)) {
      range.setStart(node, word.index); range.setEnd(node, word.index + word[0].length);
      const box = range.getClientRects()[0];
      if (!box || !box.width) continue;
      const rect = {left: box.left + shift.x, right: box.right + shift.x,
                    top: box.top + shift.y, bottom: box.bottom + shift.y};
      if (line && Math.abs(line.rect.top - rect.top) < 3) {
        line.text += ' ' + word[0];
        line.rect = {left: line.rect.left, top: line.rect.top,
          right: Math.max(line.rect.right, rect.right),
          bottom: Math.max(line.rect.bottom, rect.bottom)};
      } else { flush(); line = {text: word[0], rect}; }
    }
    flush();
  };
  const field = element => {
    const type = (element.type || '').toLowerCase(), r = element.getBoundingClientRect();
    if (element.tagName === 'SELECT') {
      if (!element.multiple && element.selectedIndex >= 0)
        add(element.options[element.selectedIndex].label, r, element, 'drop-down');
      else for (const o of element.options) add(o.label, o.getBoundingClientRect(), o, 'option');
    } else if (element.tagName === 'TEXTAREA') {
      const mirror = document.createElement('div'), style = getComputedStyle(element);
      for (const key of ['font', 'letterSpacing', 'padding', 'border', 'boxSizing', 'lineHeight'])
        mirror.style[key] = style[key];
      Object.assign(mirror.style, {position: 'fixed', left: r.left + 'px', top: r.top + 'px',
        whiteSpace: 'pre-wrap', overflowWrap: 'break-word', visibility: 'hidden',
        width: (element.clientWidth + 2 * element.clientLeft) + 'px', boxSizing: 'border-box'});
      mirror.textContent = element.value;
      document.body.appendChild(mirror);
      if (mirror.firstChild)
        lines(mirror.firstChild, element, 'text area', {x: 0, y: -element.scrollTop});
      mirror.remove();
    } else if (!['checkbox', 'radio', 'hidden', 'image', 'file'].includes(type)) {
      const value = type === 'password' ? '\u2022'.repeat(element.value.length) : element.value;
      const role = ['button', 'submit'].includes(type) ? 'button'
        : type === 'password' ? 'password field' : 'text field';
      add(value || element.placeholder || '', r, element, role);
    }
  };
  const walk = element => {
    if (['SCRIPT', 'STYLE'].includes(element.tagName) || element.id === 'query') return;
    const style = getComputedStyle(element);
    if (style.display === 'none') return;
    if (['INPUT', 'TEXTAREA', 'SELECT'].includes(element.tagName)) {
      if (style.visibility !== 'hidden') field(element);
      return;
    }
    for (const child of element.childNodes) {
      if (child instanceof Element) walk(child);
      else if (child instanceof Text && style.visibility !== 'hidden' && style.opacity !== '0')
        lines(child, element, roleOf(element), {x: 0, y: 0});
    }
  };
  walk(document.body);
  return found;
}
"""
"""Visible pieces of text, a line of one text node each, with box in the picture and role."""
