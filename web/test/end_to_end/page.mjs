/** Scenes for the checks, and actions on a page. */
/** A block that hangs by its top: small, so that an engine on a slow machine still shows it moving. */
export const BLOCK = {
  supple: 1,
  name: 'block',
  time: { step: 0.03333333333, frames: 120 },
  solver: { method: 'l_bfgs', iterations: 10 },
  bodies: [
    {
      name: 'block',
      mesh: { box: { size: [2, 1, 1], cells: [8, 4, 4] } },
      material: { model: 'neo_hookean', young: 1e5, poisson: 0.4 },
      pins: [
        {
          select: {
            box: [
              [-1.01, -1, -1],
              [-0.99, 1, 1],
            ],
          },
        },
      ],
    },
  ],
};

export const SPLINE = {
  model: 'spline',
  a: [
    [0, -40000],
    [0.5, 0],
    [1, 36000],
    [1.5, 70000],
    [2, 110000],
    [3, 200000],
  ],
  c: [
    [0, -200000],
    [0.5, -90000],
    [1, -36000],
    [1.5, 20000],
    [2, 80000],
  ],
};

export async function openScene(page, scene) {
  const before = await page.evaluate(() => window.supple.topology?.id ?? -1);
  await page.setInputFiles('input[type=file][multiple]', {
    name: `${scene.name}.json`,
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(scene)),
  });
  // A new topology discards the frame. Check all three at once, or the frame may be one of the previous
  // scene.
  await page.waitForFunction(
    ([title, id]) =>
      window.supple.scene?.title === title &&
      (window.supple.topology?.id ?? -1) !== id &&
      window.supple.frame !== null,
    [scene.name, before],
  );
  await command(page, 'play');
}

export const command = (page, name, keys = {}) =>
  page.evaluate(([n, k]) => window.supple.command(n, k).then((r) => r.header), [name, keys]);

/**
 * Opens a second page beside this one. The processor draws both: while the first one shows a moving body, the
 * second has no time to start on a slow machine.
 */
export async function openBeside(page, open, url, options) {
  await command(page, 'pause');
  return open(url, options);
}

/** Waits until `count` more frames have been shown. */
export async function frames(page, count) {
  const now = await page.evaluate(() => window.supple.stats.frames);
  await page.waitForFunction((n) => window.supple.stats.frames >= n, now + count);
}

/**
 * The number of colours in the view, of 32 steps per channel, and the share of its pixels for which `chosen`
 * (r, g, b) is true.
 */
export async function coloursIn(page, chosen = () => false) {
  await command(page, 'pause'); // on a slow machine, a moving body prevents the screenshot
  const picture = await page.locator('.stage canvas').screenshot();
  return page.evaluate(
    async ([data, test]) => {
      const is = new Function(`return ${test}`)();
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const c = canvas.getContext('2d');
      c.drawImage(image, 0, 0);
      const { data: pixels } = c.getImageData(0, 0, image.width, image.height);
      const seen = new Set();
      let count = 0;
      for (let i = 0; i < pixels.length; i += 4) {
        const [r, g, b] = pixels.subarray(i, i + 3);
        seen.add((r >> 3) * 1024 + (g >> 3) * 32 + (b >> 3));
        if (is(r, g, b)) count++;
      }
      return { seen: seen.size, share: (4 * count) / pixels.length };
    },
    [picture.toString('base64'), String(chosen)],
  );
}

export const showTab = (page, key) => page.click(`[data-tab=${key}]`);

/** The vertex of the free end that is nearest to the viewer, and where it is drawn. */
export const freeVertex = (page) =>
  page.evaluate(() => {
    const { topology } = window.supple;
    let best = null;
    for (const v of topology.surface) {
      if (topology.rest[3 * v] < 0.9) continue;
      const at = window.supple.project(v);
      if (at === null || window.supple.pick(at[0], at[1]) !== v) continue;
      best = { vertex: v, at };
      break;
    }
    return best;
  });
