/**
 * Does everything that is shown contrast with its background? Contrasts by WCAG 2.1, success
 * criteria 1.4.3 (text: 4.5, large text: 3) and 1.4.11 (edges of fields, icons, and marks of plots:
 * 3), computed from the styles of everything visible. Disabled controls are exempt, as in the
 * criteria.
 */
import assert from 'node:assert/strict';
import { BLOCK, command, frames, openScene, showTab, SPLINE } from './page.mjs';

/** Runs in the page. Returns what has too little contrast, as lines, and how much it examined. */
function weakContrasts() {
  const parse = (text) => {
    const numbers = (text.match(/-?[\d.]+(e-?\d+)?/g) ?? []).map(Number);
    if (text.startsWith('rgb')) return [...numbers.slice(0, 3), numbers[3] ?? 1];
    if (text.startsWith('color(srgb ')) {
      return [...numbers.slice(0, 3).map((v) => 255 * v), numbers[3] ?? 1];
    }
    return [0, 0, 0, 0];
  };
  const over = (top, below) =>
    [0, 1, 2].map((k) => top[k] * top[3] + below[k] * (1 - top[3])).concat(1);
  const luminance = (colour) => {
    const [r, g, b] = colour.map((v) => {
      const c = v / 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((p, q) => p - q);
    return (high + 0.05) / (low + 0.05);
  };
  /** Possible backgrounds of an element: over the view, anything between black and white. */
  const grounds = (element) => {
    const layers = [];
    for (let e = element; e !== null; e = e.parentElement) {
      const colour = parse(getComputedStyle(e).backgroundColor);
      if (colour[3] > 0) layers.push(colour);
      if (colour[3] === 1) break;
      if (e.matches('.overlay')) {
        const ends = [
          [0, 0, 0, 1],
          [255, 255, 255, 1],
        ];
        return ends.map((end) => layers.reduceRight((below, layer) => over(layer, below), end));
      }
    }
    return [layers.reduceRight((below, layer) => over(layer, below), [255, 255, 255, 1])];
  };
  const opacity = (element) => {
    let all = 1;
    for (let e = element; e !== null; e = e.parentElement) {
      all *= Number(getComputedStyle(e).opacity);
    }
    return all;
  };
  const isSeen = (element) => {
    const box = element.getBoundingClientRect();
    const shown = { checkOpacity: false, checkVisibilityCSS: true };
    return element.checkVisibility(shown) && box.width > 0 && box.height > 0;
  };
  const isIdle = (element) => element.closest(':disabled, [aria-disabled=true]') !== null;

  const weak = new Set();
  const counts = { texts: 0, marks: 0 };
  const check = (element, what, text, below, least) => {
    const colour = parse(text);
    colour[3] *= opacity(element);
    const ratio = Math.min(...below.map((ground) => contrast(over(colour, ground), ground)));
    if (ratio >= least) return;
    const name = `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''}`;
    weak.add(`${name}, ${what}: ${ratio.toFixed(2)} < ${least}`);
  };
  const checkText = (element, words, pseudo) => {
    if (isIdle(element)) return;
    const style = getComputedStyle(element, pseudo);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const isDrawn = element instanceof SVGElement;
    counts.texts++;
    check(
      element,
      `"${words.trim().slice(0, 30)}"`,
      isDrawn ? style.fill : style.color,
      grounds(element),
      isLarge ? 3 : 4.5,
    );
  };
  const checkMark = (element, what, colour, below) => {
    if (isIdle(element) || parse(colour)[3] === 0) return;
    counts.marks++;
    check(element, what, colour, below, 3);
  };

  for (const element of document.body.querySelectorAll('*')) {
    if (!isSeen(element)) continue;
    const style = getComputedStyle(element);
    for (const node of element.childNodes) {
      if (node.nodeType === Node.TEXT_NODE && node.data.trim() !== '') {
        checkText(element, node.data);
      }
    }
    for (const pseudo of ['::before', '::after']) {
      const { content } = getComputedStyle(element, pseudo);
      if (/^"[^"]*\S[^"]*"$/.test(content)) checkText(element, content, pseudo);
    }
    const isField = element.matches('input:not([type=range], [type=checkbox]), select, textarea');
    if (isField) {
      if (element.value !== '') checkText(element, String(element.value));
      else if (element.placeholder) checkText(element, element.placeholder, '::placeholder');
    }
    // A field is recognised by its edge, so the edge must contrast with its surroundings.
    if (isField || element.matches('.segments')) {
      checkMark(element, 'edge', style.borderTopColor, grounds(element.parentElement));
    }
    if (element.matches('.icon, .curve-line, .curve-dot')) {
      checkMark(element, 'stroke', style.stroke, grounds(element.parentElement));
    }
    if (element.matches('.stage-part, .stage-keys i')) {
      const painted = style.backgroundImage.match(/(rgb|color)\([^)]*\)/g) ?? [];
      const colours = painted.length > 0 ? painted : [style.backgroundColor];
      // Of a hatching, only the most visible stripe counts.
      const below = grounds(element.parentElement);
      const best = colours.sort(
        (a, b) => contrast(parse(b), below[0]) - contrast(parse(a), below[0]),
      );
      checkMark(element, 'ground', best[0], below);
    }
  }
  return { weak: [...weak].sort(), ...counts };
}

/** Collects everything that is visible in the page in its current state. */
async function gather(page, place, found) {
  await page.evaluate(() => {
    for (const part of document.querySelectorAll('details')) part.open = true;
  });
  const { weak, texts, marks } = await page.evaluate(weakContrasts);
  found.texts += texts;
  found.marks += marks;
  for (const line of weak) found.weak.add(`${place}: ${line}`);
}

export const contrastChecks = {
  async 'all that is shown stands out from its ground, dark and light'({ page }) {
    const scene = structuredClone(BLOCK);
    scene.bodies[0].material = SPLINE;
    await openScene(page, scene);
    await command(page, 'show', { colour: 'von_mises' });
    await page.keyboard.press('a');
    await frames(page, 5);
    const found = { texts: 0, marks: 0, weak: new Set() };
    for (const theme of ['dark', 'light']) {
      await showTab(page, 'view');
      await page.getByLabel('Theme', { exact: true }).selectOption(theme);
      await page.waitForFunction((t) => document.documentElement.dataset.theme === t, theme);
      for (const tab of ['scenes', 'settings', 'view', 'measure', 'compare', 'keep']) {
        await showTab(page, tab);
        await gather(page, `${theme}, ${tab}`, found);
      }
      await showTab(page, 'settings');
      const iterations = page.locator('.field[title^="/solver/iterations"]');
      await iterations.locator('input.number').fill('-3');
      await iterations.locator('input.number').press('Enter');
      await iterations.locator('.field-error').waitFor({ state: 'visible' });
      await gather(page, `${theme}, a value refused`, found);
      await page.evaluate(() => {
        document.querySelector('.chip.busy').hidden = false;
        document.querySelector('.chip.busy').textContent = 'Factorising…';
      });
      // A scene outside the gallery has no link: a note says that.
      await page.click('[aria-label="Copy a link to this"]');
      await page.locator('.toast').last().waitFor();
      await command(page, 'race', { solvers: ['l_bfgs', 'gradient_descent'], budget_ms: 20 });
      await page.locator('.lane-label').nth(1).waitFor();
      await showTab(page, 'compare');
      await gather(page, `${theme}, race and a note`, found);
      await command(page, 'end_race');
      await page.keyboard.press('?');
      await page.locator('dialog.help').waitFor({ state: 'visible' });
      await gather(page, `${theme}, help`, found);
      await page.keyboard.press('Escape');
    }
    await showTab(page, 'view');
    await page.getByLabel('Theme', { exact: true }).selectOption('auto');
    await command(page, 'show', { colour: 'none' });
    await page.keyboard.press('a');
    assert.deepEqual([...found.weak], []);
    // Otherwise it has looked at too little: both themes have more than this.
    assert.ok(found.texts > 600 && found.marks > 200, `${found.texts} texts, ${found.marks} marks`);
  },
};
