/** The engine with threads, in a page that its host has cross-origin isolated. */
import assert from 'node:assert/strict';
import { BLOCK, command, frames, openScene } from './page.mjs';

/** Has enough tets that each thread gets some. */
const LARGE_BLOCK = structuredClone(BLOCK);
LARGE_BLOCK.name = 'large block';
LARGE_BLOCK.bodies[0].mesh.box.cells = [24, 10, 10];

const STEPS = 20;

/** The state after STEPS steps from the start: every bit of its doubles, as text. */
async function stateAfterSteps(page) {
  await openScene(page, LARGE_BLOCK);
  await command(page, 'pause');
  await command(page, 'reset');
  await command(page, 'step', { frames: STEPS });
  await page.waitForFunction((n) => window.supple.frame?.frame === n, STEPS);
  return page.evaluate(async () => {
    const { arrays } = await window.supple.command('save');
    const bits = {};
    for (const [name, array] of arrays) {
      if (!(array instanceof Float64Array)) continue;
      const words = new BigUint64Array(array.slice().buffer);
      bits[name] = Array.from(words, (word) => word.toString(16)).join(' ');
    }
    return bits;
  });
}

export const threadsChecks = {
  async 'the page is isolated and has the engine with threads'({ page }) {
    const found = await page.evaluate(() => ({
      isolated: window.crossOriginIsolated,
      engine: window.supple.engine,
      threads: window.supple.hello.threads,
      cores: navigator.hardwareConcurrency,
    }));
    assert.equal(found.isolated, true);
    assert.equal(found.engine, 'wasm');
    assert.equal(found.threads, found.cores);
  },

  async 'a body moves'({ page }) {
    await openScene(page, LARGE_BLOCK);
    const start = await page.evaluate(() => Array.from(window.supple.frame.positions));
    await frames(page, 5);
    const moved = await page.evaluate(
      (x) => Math.max(...window.supple.frame.positions.map((v, i) => Math.abs(v - x[i]))),
      start,
    );
    assert.ok(moved > 0.01, `the fastest vertex moved by ${moved} m`);
  },

  async 'its steps have the same bits as those of the engine without'({ page, open }) {
    const threaded = await stateAfterSteps(page);
    const address = await page.evaluate(() => location.href.split('?')[0]);
    const other = await open(address);
    assert.equal(await other.page.evaluate(() => window.supple.hello.threads), 1);
    const single = await stateAfterSteps(other.page);
    assert.deepEqual(other.faults, []);
    await other.context.close();
    const count = Object.values(single).reduce((sum, bits) => sum + bits.split(' ').length, 0);
    assert.ok(count > 10_000, `${count} numbers in the state`);
    assert.ok(Object.values(single).some((bits) => new Set(bits.split(' ')).size > 1000));
    assert.deepEqual(Object.keys(threaded), Object.keys(single));
    for (const name of Object.keys(single)) {
      assert.ok(threaded[name] === single[name], `${name} differs`);
    }
  },
};
