/**
 * Runs the checks in a headless Chromium.
 *   node run.mjs --kind native|wasm|wasm_threads --page DIST --chromium FILE --use PROGRAM|ENGINE_FOLDER [--out DIR] [--only WORD]
 * Prints a line a check; a picture of the page at each failure is left in DIR.
 */
import { mkdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { openPage, startBrowser } from './browser.mjs';
import { checks } from './checks.mjs';
import { contrastChecks } from './contrast.mjs';
import { ISOLATION, startNative, startStatic } from './hosts.mjs';
import { threadsChecks } from './threads.mjs';

/** Ends a check that hangs; on a busy machine, a check takes ten times as long as alone. */
const CHECK_MS = 180_000;
/** So many failures have one cause, so the other checks would only wait in vain. */
const MOST_FAILURES = 3;

const { values } = parseArgs({
  options: {
    kind: { type: 'string' },
    page: { type: 'string' },
    chromium: { type: 'string' },
    use: { type: 'string' },
    out: { type: 'string', default: 'end_to_end' },
    only: { type: 'string', default: '' },
  },
});
const { kind } = values;
/** The build with threads is the same engine, so only its threads are checked. */
const chosen = kind === 'wasm_threads' ? threadsChecks : { ...checks, ...contrastChecks };

function withLimit(promise, what) {
  let timer;
  const limit = new Promise((_, fail) => {
    timer = setTimeout(
      () => fail(new Error(`${what}: not done in ${CHECK_MS / 1000} s`)),
      CHECK_MS,
    );
  });
  return Promise.race([promise, limit]).finally(() => clearTimeout(timer));
}

const host =
  kind === 'native'
    ? await startNative(values.use, values.page)
    : await startStatic(values.page, values.use, kind === 'wasm_threads' ? ISOLATION : {});
const address = kind === 'wasm_threads' ? `${host.url}?threads` : host.url;
let failed = 0;
let browser;
try {
  browser = await startBrowser(values.chromium);
  await mkdir(values.out, { recursive: true });
  const open = (url, options) => openPage(browser, url, options);
  const { page, faults } = await open(address);
  for (const [name, check] of Object.entries(chosen)) {
    if (!name.includes(values.only)) continue;
    if (failed >= MOST_FAILURES) {
      console.log(`left out ${name}`);
      continue;
    }
    const start = Date.now();
    faults.length = 0;
    try {
      await withLimit(check({ page, kind, open }), name);
      if (faults.length > 0) throw new Error(`the page had faults: ${faults.join('; ')}`);
      console.log(`ok      ${name} (${Date.now() - start} ms)`);
    } catch (error) {
      failed++;
      console.log(`FAILED  ${name}\n${error.stack}`);
      const picture = `${values.out}/${kind}_${name.replaceAll(/\W+/g, '_')}.png`;
      await page.screenshot({ path: picture, timeout: 5000 }).catch(() => undefined);
      await page.mouse.up(); // so that the next check starts with no button pressed
    }
  }
} catch (error) {
  failed++;
  console.log(`FAILED  ${error.stack}`);
} finally {
  await browser?.close();
  await host.stop();
}
console.log(failed === 0 ? 'all checks hold' : `${failed} checks failed`);
process.exitCode = failed === 0 ? 0 : 1;
