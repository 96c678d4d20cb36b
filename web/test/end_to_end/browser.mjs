/** A headless Chromium that draws by the processor, and a page in it whose faults are collected. */
import { chromium } from 'playwright-core';

const ARGUMENTS = [
  '--no-sandbox',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
];

export const startBrowser = (executablePath) =>
  chromium.launch({ executablePath, args: ARGUMENTS, timeout: 60_000 });

const bodyShown = (page) =>
  page.waitForFunction(() => window.supple?.frame != null, null, { timeout: 60_000 });

/**
 * Opens the page and waits until a body is shown, or for `shown`. `before` runs in the page before its own
 * scripts. `faults` collects what goes wrong in it.
 */
export async function openPage(browser, url, { before, shown = bodyShown, ...options } = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 720 },
    colorScheme: 'dark',
    ...options,
  });
  const page = await context.newPage();
  const faults = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.setDefaultTimeout(30_000);
  if (before !== undefined) await page.addInitScript(before);
  await page.goto(url);
  await shown(page);
  return { page, context, faults };
}
