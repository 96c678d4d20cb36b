/**
 * Takes the pictures of docs/viewer.md: node test/screenshots.mjs --page DIST --chromium FILE --use PROGRAM --out docs/images
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { openPage, startBrowser } from './end_to_end/browser.mjs';
import { startNative } from './end_to_end/hosts.mjs';

const { values } = parseArgs({
  options: {
    page: { type: 'string' },
    chromium: { type: 'string', default: '/usr/bin/chromium' },
    use: { type: 'string' },
    out: { type: 'string', default: 'docs/images' },
    only: { type: 'string', default: '' },
  },
});

const command = (page, name, keys = {}) =>
  page.evaluate(([n, k]) => window.supple.command(n, k).then(() => null), [name, keys]);
const tab = (page, key) => page.click(`[data-tab=${key}]`);
const until = (page, frame) =>
  page.waitForFunction((f) => window.supple.frame?.frame >= f, frame, { timeout: 60_000 });

async function open(page, scene, set = {}) {
  const id = await page.evaluate(() => window.supple.topology.id);
  await command(page, 'open', { scene, set });
  await page.waitForFunction((i) => window.supple.topology.id !== i, id);
  await command(page, 'play');
}

/** The surface vertex that lies furthest along a direction, and where it is drawn. */
const extreme = (page, direction) =>
  page.evaluate((d) => {
    const { topology } = window.supple;
    let best = 0;
    let most = -Infinity;
    for (const v of topology.surface) {
      const x = window.supple.position(v);
      const along = x[0] * d[0] + x[1] * d[1] + x[2] * d[2];
      if (along > most) [most, best] = [along, v];
    }
    return window.supple.project(best);
  }, direction);

const PICTURES = {
  async viewer(page) {
    await open(page, 'twisting_bar');
    await tab(page, 'view');
    await page.getByLabel('Colours', { exact: true }).selectOption('stretch');
    await until(page, 75);
    await command(page, 'pause');
  },
  async viewer_pull(page) {
    await open(page, 'twisting_bar', {
      '/bodies/0/pins/1': null,
      '/bodies/0/pins/0/motion': null,
    });
    await tab(page, 'settings');
    await until(page, 10);
    const [x, y] = await extreme(page, [1, 0.2, 0.3]);
    await page.mouse.move(x - 3, y + 3);
    await page.mouse.down();
    await page.mouse.move(x - 60, y - 190, { steps: 10 });
    await page.waitForTimeout(1500);
  },
  async viewer_cut(page) {
    await open(page, 'twisting_bar');
    await tab(page, 'view');
    await page.getByLabel('Colours', { exact: true }).selectOption('von_mises');
    await page.keyboard.press('c');
    await until(page, 60);
    await command(page, 'pause');
  },
  async viewer_forces(page) {
    await open(page, 'gripper');
    await tab(page, 'view');
    await page.keyboard.press('a');
    await until(page, 100);
    await command(page, 'pause');
    await page.keyboard.press('f');
  },
  async viewer_race(page) {
    await open(page, 'twisting_bar');
    await until(page, 30);
    await tab(page, 'compare');
    const inputs = page.locator('.solver-line input');
    const specs = ['l_bfgs', 'quasi_newton', 'gradient_descent'];
    for (const [i, spec] of specs.entries()) await inputs.nth(i).fill(spec);
    await page.click('button:has-text("Race")');
    await page.waitForFunction(() => window.supple.frame.lanes.length === 3);
    const now = await page.evaluate(() => window.supple.frame.frame);
    await until(page, now + 20);
  },
  async viewer_curve(page) {
    await open(page, 'twisting_bar', {
      '/bodies/0/material': { model: 'spline', preset: 'A', young: 1e5, poisson: 0.45 },
    });
    await tab(page, 'settings');
    await page.locator('[data-section=solver] > summary').click();
    await page.click('button:has-text("Edit as points")');
    await page.locator('[data-curve=a]').waitFor();
    await until(page, 40);
  },
};

const host = await startNative(values.use, path.resolve(values.page));
const browser = await startBrowser(values.chromium);
try {
  for (const scheme of ['dark', 'light']) {
    for (const [name, prepare] of Object.entries(PICTURES)) {
      if (!name.includes(values.only) || (scheme === 'light' && name !== 'viewer')) continue;
      const { page, context, faults } = await openPage(browser, host.url, { colorScheme: scheme });
      await prepare(page);
      await page.waitForTimeout(800);
      const file = `${name}${scheme === 'light' ? '_light' : ''}.png`;
      await page.screenshot({ path: path.join(values.out, file) });
      for (const fault of faults) console.log(`${file}: ${fault}`);
      console.log(file);
      await page.mouse.up();
      await command(page, 'show', { vertices: 'surface', colour: 'none', every: 1 });
      await context.close();
    }
  }
} finally {
  await browser.close();
  await host.stop();
}
