/**
 * What the viewer must do with any engine. Each check opens its own scene and looks at what a
 * person would see: where vertices are drawn, what panels say.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import {
  BLOCK,
  coloursIn,
  command,
  frames,
  freeVertex,
  openBeside,
  openScene,
  showTab,
  SPLINE,
} from './page.mjs';

/** Colours as drawn: the first body in light and shade, arrows, pins. */
const BODY = (r, g, b) => b > 1.4 * r && b > 90 && g > 1.1 * r;
const ARROW = (r, g, b) => r > 180 && r > 2 * g && r > 1.6 * b;
const PIN = (r, g, b) => r > 200 && g > 190 && b < 110;

/** A cloth above a strand. */
const STRAND = {
  supple: 1,
  name: 'cloth and strand',
  gravity: [0, 0, 0],
  bodies: [
    {
      name: 'cloth',
      mesh: { cloth: { cells: [8, 8] } },
      material: { model: 'spring', stiffness: 100 },
    },
    {
      name: 'cord',
      mesh: { strand: { segments: 8 } },
      transform: { translate: [0, -0.3, 0] },
      material: { model: 'spring', stiffness: 100 },
    },
  ],
};

export const checks = {
  async 'the page loads and shows the gallery'({ page, kind }) {
    assert.equal(await page.evaluate(() => window.supple.engine), kind);
    assert.ok(await page.evaluate(() => window.supple.connected));
    await page.waitForFunction(() => document.querySelectorAll('[data-scene]').length >= 5);
    const pictures = await page.evaluate(async () => {
      const all = [...document.querySelectorAll('[data-scene] img')];
      await Promise.all(all.map((i) => ((i.loading = 'eager'), i.decode().catch(() => null))));
      return all.filter((i) => i.naturalWidth > 0).length;
    });
    assert.ok(pictures >= 5, `${pictures} pictures of scenes`);
  },

  async 'a scene of the gallery opens by a click, and moves'({ page }) {
    await showTab(page, 'scenes');
    await page.click('[data-scene=dropped_cubes]');
    await page.waitForFunction(() => window.supple.scene?.source === 'dropped_cubes');
    await page.waitForFunction(() => window.supple.frame?.colliders.length > 0);
    // From the start: on a slow machine the cubes might already have come to rest.
    await command(page, 'pause');
    await command(page, 'reset');
    await page.waitForFunction(() => window.supple.frame?.frame === 0);
    const start = await page.evaluate(() => Array.from(window.supple.frame.positions.slice(0, 3)));
    await command(page, 'play');
    await page.waitForFunction(
      (s) => Math.abs(window.supple.frame.positions[1] - s[1]) > 0.01,
      start,
    );
  },

  async 'pause, one step and start again do what they say'({ page }) {
    await openScene(page, BLOCK);
    await frames(page, 3);
    await page.click('[aria-label=Pause]');
    await page.waitForFunction(() => !window.supple.status.playing);
    await page.waitForTimeout(300);
    const stood = await page.evaluate(() => window.supple.frame.frame);
    await page.click('[aria-label="One step"]');
    await page.waitForFunction((f) => window.supple.frame.frame === f + 1, stood);
    await page.keyboard.press('r');
    await page.waitForFunction(() => window.supple.frame.frame === 0);
    await page.keyboard.press('Space');
    await page.waitForFunction(() => window.supple.frame.frame > 2);
  },

  async 'a drag with the mouse moves the vertex towards the cursor'({ page }) {
    await openScene(page, { ...BLOCK, gravity: [0, 0, 0] });
    await frames(page, 3);
    const { vertex, at } = await freeVertex(page);
    const goal = [at[0] + 70, at[1] - 90];
    const off = (p) => Math.hypot(p[0] - goal[0], p[1] - goal[1]);
    await page.mouse.move(...at);
    await page.mouse.down();
    await page.mouse.move(...goal, { steps: 8 });
    const target = off(at) / 2;
    await page.waitForFunction(
      ([v, g, near]) => {
        const p = window.supple.project(v);
        return Math.hypot(p[0] - g[0], p[1] - g[1]) < near;
      },
      [vertex, goal, target],
    );
    assert.ok(await page.evaluate(() => window.supple.frame.grabs.length === 1));
    await page.mouse.up();
    await page.waitForFunction(() => window.supple.frame.grabs.length === 0);
    await page.waitForFunction(
      ([v, g, near]) => {
        const p = window.supple.project(v);
        return Math.hypot(p[0] - g[0], p[1] - g[1]) > near;
      },
      [vertex, goal, target],
    );
  },

  async 'a click pins a vertex, a box pins many, undo lets go'({ page }) {
    // Without gravity the block stands still, so the click hits the intended vertex.
    await openScene(page, { ...BLOCK, gravity: [0, 0, 0] });
    await frames(page, 3);
    const count = () =>
      page.evaluate(() => window.supple.frame.pins.reduce((sum, p) => sum + p.count, 0));
    const first = await count();
    await page.keyboard.press('2');
    const { at } = await freeVertex(page);
    await page.mouse.click(...at);
    const pinned = (n) =>
      page.waitForFunction(
        (least) => window.supple.frame.pins.reduce((sum, p) => sum + p.count, 0) >= least,
        n,
      );
    await pinned(first + 1);
    await page.keyboard.press('3');
    const view = await page.locator('.stage canvas').boundingBox();
    await page.mouse.move(view.x + 20, view.y + 60);
    await page.mouse.down();
    await page.mouse.move(view.x + view.width - 20, view.y + view.height - 20, { steps: 4 });
    await page.mouse.up();
    await pinned(first + 20);
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await page.waitForFunction(
      (n) => window.supple.frame.pins.reduce((sum, p) => sum + p.count, 0) === n,
      first,
    );
    await page.keyboard.press('1');
  },

  async 'a stroke of the knife cuts the body, and what hangs on the mouse can be let go'({ page }) {
    await openScene(page, { ...BLOCK, gravity: [0, 0, 0] });
    await frames(page, 3);
    const view = await page.locator('.stage canvas').boundingBox();
    const [x] = await page.evaluate(() => window.supple.project([0, 0, 0]));
    const corners = () => page.evaluate(() => window.supple.topology.numVertices);
    const whole = await corners();
    const stroke = async (at) => {
      await page.keyboard.press('5');
      await page.mouse.move(at, view.y + 20);
      await page.mouse.down();
      await page.mouse.move(at, view.y + view.height - 20, { steps: 5 });
      await page.mouse.up();
    };
    await stroke(view.x + 3);
    await page.waitForSelector('text=nothing to cut');
    assert.equal(await corners(), whole);
    await stroke(x);
    await page.waitForFunction((n) => window.supple.topology.numVertices > n, whole);
    // What the mouse holds comes apart.
    await page.keyboard.press('1');
    await frames(page, 3);
    const { at } = await freeVertex(page);
    await page.mouse.move(...at);
    await page.mouse.down();
    await page.mouse.move(at[0] + 20, at[1] - 20, { steps: 4 });
    await page.waitForFunction(() => window.supple.frame.grabs.length === 1);
    const [y, far] = [0.12, 90];
    const cut = {
      triangles: [
        [-far, y, -far],
        [far, y, -far],
        [0, y, 2 * far],
      ],
    };
    const before = await corners();
    assert.ok((await command(page, 'cut', cut)).separated > 0);
    await page.waitForFunction((n) => window.supple.topology.numVertices > n, before);
    await page.mouse.move(at[0] + 40, at[1] - 40, { steps: 4 });
    await page.waitForFunction(() => window.supple.frame?.grabs.length === 1);
    await page.mouse.up();
    await page.waitForFunction(() => window.supple.frame?.grabs.length === 0);
    await command(page, 'reset');
    await page.waitForFunction((n) => window.supple.topology.numVertices === n, whole);
  },

  async 'the handle of a pin is dragged, and the body follows'({ page }) {
    await openScene(page, { ...BLOCK, gravity: [0, 0, 0] });
    await frames(page, 3);
    await page.keyboard.press('4');
    const [x, y] = await page.evaluate(() =>
      window.supple.project(window.supple.frame.pins[0].center),
    );
    await page.mouse.move(x, y);
    await page.mouse.move(x + 1, y);
    await page.mouse.down();
    await page.mouse.move(x + 10, y - 60, { steps: 6 });
    await page.waitForFunction(() => window.supple.frame.pins[0].placement.translate[1] > 0.1);
    await page.mouse.up();
    await page.waitForFunction(() => {
      const x = window.supple.frame.positions;
      let middle = 0;
      for (let i = 1; i < x.length; i += 3) middle += x[i] / (x.length / 3);
      return middle > 0.1;
    });
    await page.keyboard.press('Control+z');
    await page.waitForFunction(() => window.supple.frame.pins[0].placement.translate[1] === 0);
    await page.keyboard.press('1');
  },

  async 'a handle is grabbed before the first picture that shows it'({ page }) {
    const scene = structuredClone({ ...BLOCK, gravity: [0, 0, 0] });
    // Pin the other end, where the gizmo of the previous check does not stand.
    const [{ select }] = scene.bodies[0].pins;
    select.box = select.box.map(([x, y, z]) => [x + 2, y, z]);
    await openScene(page, scene);
    await frames(page, 3);
    // All within one turn of the browser's event loop: nothing is drawn in between or hovers.
    await page.evaluate(() => {
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '4', bubbles: true }));
      const canvas = document.querySelector('.stage canvas');
      const [x, y] = window.supple.project(window.supple.frame.pins[0].center);
      const mouse = { bubbles: true, pointerId: 1, pointerType: 'mouse', clientX: x + 1 };
      const pointer = (type, up, keys) =>
        canvas.dispatchEvent(new PointerEvent(type, { ...mouse, clientY: y - up, ...keys }));
      pointer('pointerdown', 0, { button: 0, buttons: 1 });
      pointer('pointermove', 30, { button: -1, buttons: 1 });
      pointer('pointermove', 60, { button: -1, buttons: 1 });
      pointer('pointerup', 60, { button: 0, buttons: 0 });
    });
    await page.waitForFunction(() => window.supple.frame.pins[0].placement.translate[1] > 0.1);
    await page.keyboard.press('1');
  },

  async 'a collider is dragged by its gizmo, and lifts the body that lies on it'({ page }) {
    const scene = structuredClone(BLOCK);
    delete scene.bodies[0].pins;
    // Thick enough that a fast drag does not push its top past the body's middle.
    const shelf = { center: [0, -1.6, 0], size: [4, 2, 2] };
    scene.colliders = [{ name: 'shelf', box: shelf }];
    scene.contact = { stiffness: 1e5 };
    await openScene(page, scene);
    await page.waitForFunction(() => window.supple.frame?.report?.contacts > 0);
    await page.keyboard.press('f'); // the previous checks looked at something smaller
    await frames(page, 2);
    const height = () =>
      page.evaluate(() => {
        const x = window.supple.frame.positions;
        let sum = 0;
        for (let i = 1; i < x.length; i += 3) sum += x[i];
        return sum / (x.length / 3);
      });
    await page.keyboard.press('4');
    const project = (x) => page.evaluate((p) => window.supple.project(p), x);
    // A click on its side selects the shelf; the arrows then appear in its middle.
    const side = await project([1.2, -1.6, 1]);
    await page.mouse.click(...side);
    const lying = await height();
    const [x, y] = await project(shelf.center);
    await page.mouse.move(x, y);
    await page.mouse.move(x + 1, y);
    await page.mouse.down();
    await page.mouse.move(x + 1, y - 60, { steps: 12 });
    await page.waitForFunction(() => window.supple.frame.colliders[0].placed.translate[1] > 0.2);
    await page.mouse.up();
    const lifted = await page.evaluate(() => window.supple.frame.colliders[0].placed.translate[1]);
    while ((await height()) < lying + lifted / 2) await frames(page, 1);
    await page.keyboard.press('Control+z');
    await page.waitForFunction(() => window.supple.frame.colliders[0].placed.translate[1] === 0);
    await page.keyboard.press('1');
  },

  async 'another solver is chosen in its panel, and its options appear'({ page }) {
    await openScene(page, BLOCK);
    await showTab(page, 'settings');
    const history = page.locator('.field[title^="/solver/history"]');
    await history.waitFor();
    await page.locator('.field[title^="/solver/method"] select').selectOption('newton');
    await page.waitForFunction(() => window.supple.scene.settings.solver.method === 'newton');
    await history.waitFor({ state: 'detached' });
    await page.locator('.field[title^="/solver/definiteness"]').waitFor();
    await frames(page, 5);
    assert.equal(
      await page.evaluate(() => window.supple.frame.report.status !== 'non_finite'),
      true,
    );
  },

  async 'a softer material hangs lower, and the Lamé pair follows'({ page }) {
    await openScene(page, BLOCK);
    await frames(page, 30);
    const lowest = () =>
      page.evaluate(() => {
        let low = Infinity;
        const x = window.supple.frame.positions;
        for (let i = 1; i < x.length; i += 3) low = Math.min(low, x[i]);
        return low;
      });
    const stiff = await lowest();
    await showTab(page, 'settings');
    const young = page.locator('.elastic .field[title*="/young"] input.number');
    await young.fill('2e4');
    await young.press('Enter');
    await page.waitForFunction(
      () => window.supple.scene.settings.bodies[0].material.young === 20000,
    );
    await page.waitForFunction((s) => {
      const x = window.supple.frame.positions;
      for (let i = 1; i < x.length; i += 3) if (x[i] < s - 0.3) return true;
      return false;
    }, stiff);
    // mu = E / (2 (1 + nu)) = 7143 Pa
    assert.match(await page.locator('.elastic .hint').innerText(), /μ 7143 Pa/);
  },

  async 'a value that is refused is said beside its field, and the old one holds'({ page }) {
    await openScene(page, BLOCK);
    await showTab(page, 'settings');
    const row = page.locator('.field[title^="/solver/iterations"]');
    await row.locator('input.number').fill('-3');
    await row.locator('input.number').press('Enter');
    await row.locator('.field-error').waitFor({ state: 'visible' });
    assert.match(await row.locator('.field-error').innerText(), /\d/);
    assert.equal(await page.evaluate(() => window.supple.scene.settings.solver.iterations), 10);
  },

  async 'a point of the curve of fibers is dragged, and one that falls is refused'({ page }) {
    const scene = structuredClone(BLOCK);
    const curve = [
      [0.8, -100],
      [1, 0],
      [1.5, 20000],
      [2, 80000],
    ];
    scene.bodies[0].fiber = [
      { direction: [1, 0, 0], kappa: 1e4 },
      { direction: [0, 1, 0], curve },
    ];
    await openScene(page, scene);
    await showTab(page, 'settings');
    await page.getByText('Mass and fibres').click();
    const editor = page.locator('.field .curve-editor');
    assert.equal(await editor.count(), 1);
    const point = editor.locator('.curve-point').nth(2);
    await point.focus();
    await page.keyboard.press('ArrowUp');
    const stress = (page) =>
      page.evaluate(() => window.supple.scene.settings.bodies[0].fiber[1].curve);
    await page.waitForFunction(
      () => window.supple.scene.settings.bodies[0].fiber[1].curve[2][1] > 20500,
    );
    const there = await stress(page);
    // The rest state has no stress: the engine says so beside the curve, which is reset.
    await editor.locator('.curve-point').nth(1).focus();
    await page.keyboard.press('ArrowUp');
    const error = page.locator('.field.refused:has(.curve-editor) .field-error');
    await error.waitFor();
    assert.match(await error.innerText(), /\[1, 0\]/);
    assert.deepEqual(await stress(page), there);
  },

  async 'a point of the curve is dragged and the stress changes'({ page }) {
    const scene = structuredClone(BLOCK);
    scene.bodies[0].material = SPLINE;
    await openScene(page, scene);
    await showTab(page, 'settings');
    const dot = page.locator('[data-curve=a] .curve-point').nth(4);
    await dot.waitFor();
    await dot.scrollIntoViewIfNeeded();
    const describe = () => command(page, 'describe_material', { body: 0 });
    const before = await describe();
    const box = await dot.locator('.curve-dot').boundingBox();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, y - 25, { steps: 5 });
    await page.mouse.up();
    await page.waitForFunction(
      (old) => window.supple.scene.settings.bodies[0].material.a[4][1] > old * 1.05,
      SPLINE.a[4][1],
    );
    const after = await describe();
    const at = before.stretch.findIndex((s) => s >= 1.9);
    assert.ok(at >= 0, 'the stretches go to 1.9');
    assert.ok(after.uniaxial[at] > 1.02 * before.uniaxial[at], 'the stress grew');
    await page.keyboard.press('Control+z');
    await page.waitForFunction(
      (old) => window.supple.scene.settings.bodies[0].material.a[4][1] === old,
      SPLINE.a[4][1],
    );
  },

  async 'what was randomised finds its shape again'({ page }) {
    const scene = structuredClone(BLOCK);
    scene.gravity = [0, 0, 0];
    scene.damping = { drag: 1 };
    // As in scenes/randomised_block.json. Neo-Hookean came to rest in a tangle here without an
    // inverted tet, which is a matter of the material and the solver, not of the viewer.
    scene.bodies[0].material.model = 'corotated';
    delete scene.bodies[0].pins;
    await openScene(page, scene);
    await frames(page, 3);
    // The page's seed is random, and with one in fifteen this block ends in a false minimum of the
    // material (docs/materials.md), but not with this one.
    await page.evaluate(() => {
      window.chance = Math.random;
      Math.random = () => 3 / 2 ** 31;
    });
    await page.click('text=Randomise');
    await page.evaluate(() => {
      Math.random = window.chance;
    });
    await page.waitForFunction(() => window.supple.frame.energies.elastic > 1000);
    const most = await page.evaluate(() => window.supple.frame.energies.elastic);
    await page.waitForFunction(
      (e) =>
        window.supple.frame.report?.invertedTets === 0 &&
        window.supple.frame.energies.elastic < 0.01 * e,
      most,
      { timeout: 60_000 },
    );
  },

  async 'a run that is not converged says so'({ page }) {
    await openScene(page, BLOCK);
    const badge = page.locator('.chip.warning');
    await frames(page, 3);
    assert.equal(await badge.isVisible(), false);
    await command(page, 'set', {
      values: {
        '/bodies/0/material/young': 1e8,
        '/solver/method': 'vertex_block_descent',
        '/solver/iterations': 1,
      },
      final: true,
    });
    await badge.filter({ hasText: 'Not converged' }).waitFor({ timeout: 60_000 });
    assert.match(await badge.getAttribute('title'), /its material.*frames? \d+/s);
  },

  async 'colours come with a legend, and the cut shows tets'({ page }) {
    await openScene(page, BLOCK);
    await showTab(page, 'view');
    await page.getByLabel('Colours', { exact: true }).selectOption('von_mises');
    await page.waitForFunction(() => window.supple.frame.colours !== null);
    await page.locator('.legend').waitFor({ state: 'visible' });
    assert.match(await page.locator('.legend').innerText(), /Pa/);
    await page.keyboard.press('c');
    await page.waitForFunction(() => window.supple.frame.all);
    await frames(page, 2);
    await page.keyboard.press('c');
    await page.waitForFunction(() => !window.supple.frame.all);
    await page.getByLabel('Colours', { exact: true }).selectOption('none');
  },

  async 'contact forces are arrows with a scale, and bear the weight'({ page }) {
    const scene = structuredClone({ ...BLOCK, name: 'lying block', damping: { drag: 3 } });
    delete scene.bodies[0].pins;
    scene.colliders = [{ name: 'table', plane: { offset: -0.51 } }];
    await openScene(page, scene);
    await page.waitForFunction(() => window.supple.frame.frame > 120);
    assert.equal(await page.evaluate(() => window.supple.frame.forces), null);
    const before = await coloursIn(page, ARROW);
    // While paused too: the forces are those of the last step.
    await page.keyboard.press('a');
    await page.waitForFunction(() => window.supple.frame.forces?.contacts > 0);
    const legend = page.locator('.force-legend');
    assert.match(await legend.innerText(), /Contact forces\s+\d+ N/);
    const after = await coloursIn(page, ARROW);
    assert.ok(
      after.share > before.share + 1e-4,
      `${after.share} of the view, ${before.share} before`,
    );
    // The weight of 2 m x 1 m x 1 m with 1000 kg/m3.
    await showTab(page, 'measure');
    const table = page.locator('[data-section=forces]');
    await table.getByText('table').waitFor();
    await page.waitForFunction(() => {
      const [row] = document.querySelectorAll('[data-section=forces] dd');
      return Math.abs(parseFloat(row?.textContent) / (2000 * 9.81) - 1) < 0.02;
    });
    // Nothing is left of another state.
    await command(page, 'reset');
    await page.waitForFunction(() => window.supple.frame.forces?.contacts === 0);
    assert.match(await legend.innerText(), /No step/);
    assert.ok((await coloursIn(page, ARROW)).share <= before.share, 'no arrow is left');
    await command(page, 'set', { values: { '/time/integrator': 'symplectic_euler' } });
    await command(page, 'step');
    await legend.getByText('explicit').waitFor();
    await showTab(page, 'view');
    await page.getByLabel('Contact forces').uncheck();
    await page.waitForFunction(() => window.supple.frame.forces === null);
    await legend.waitFor({ state: 'hidden' });
  },

  async 'a body of a hundred metres is seen like one of two'({ page }) {
    // It has as many vertices as the one before; the view must adapt nevertheless.
    await openScene(page, { ...BLOCK, gravity: [0, 0, 0] });
    await frames(page, 3);
    const small = await coloursIn(page, BODY);
    const scene = structuredClone({ ...BLOCK, name: 'large', gravity: [0, 0, 0] });
    const [body] = scene.bodies;
    body.mesh.box.size = [100, 50, 50];
    body.pins[0].select.box = [
      [-50.1, -99, -99],
      [-49.9, 99, 99],
    ];
    await openScene(page, scene);
    await frames(page, 3);
    const large = await coloursIn(page, BODY);
    assert.ok(large.share > 0.7 * small.share, `${large.share} of the view, ${small.share} before`);
    await openScene(page, { ...BLOCK, gravity: [0, 0, 0] });
    await frames(page, 3);
    const again = await coloursIn(page, BODY);
    assert.ok(again.share > 0.7 * small.share, `${again.share} of the view`);
  },

  async 'a button shows all again, and a phone begins with the view'({ page, open }) {
    await openScene(page, { ...BLOCK, gravity: [0, 0, 0] });
    await frames(page, 3);
    await page.keyboard.press('f');
    await page.waitForTimeout(100);
    const width = () =>
      page.evaluate(() => {
        const [a, b] = [-1, 1].map((x) => window.supple.project([x, 0, 0]));
        return Math.hypot(a[0] - b[0], a[1] - b[1]);
      });
    const whole = await width();
    const view = await page.locator('.stage canvas').boundingBox();
    await page.mouse.move(view.x + view.width / 2, view.y + view.height - 30);
    for (let i = 0; i < 8; i++) await page.mouse.wheel(0, 400);
    while ((await width()) > 0.7 * whole) await page.waitForTimeout(50);
    await page.click('[aria-label="Show all"]');
    while (Math.abs((await width()) / whole - 1) > 0.02) await page.waitForTimeout(50);
    const address = await page.evaluate(() => location.href.split('#')[0]);
    const phone = await openBeside(page, open, address, { viewport: { width: 390, height: 800 } });
    const box = await phone.page.locator('.stage canvas').boundingBox();
    assert.ok(box.width > 380, `${box.width} of 390 pixels`);
    await phone.page.click('[aria-label="Settings panel"]');
    await phone.page.locator('.panel.left').waitFor({ state: 'visible' });
    await phone.context.close();
  },

  async 'a strand beside a cloth is drawn'({ page }) {
    await openScene(page, STRAND);
    await frames(page, 3);
    // The second body's colour, which nothing else has, blended with the ground at the line's edges.
    const { share } = await coloursIn(page, (r, g, b) => r > 80 && r > 1.2 * g && g > 2 * b);
    assert.ok(share > 0, 'a line of orange');
  },

  async 'what is cut open keeps its colour, its wireframe and its pins'({ page }) {
    await openScene(page, { ...BLOCK, gravity: [0, 0, 0] });
    await frames(page, 3);
    await command(page, 'pause');
    const whole = await coloursIn(page, BODY);
    const pins = await coloursIn(page, PIN);
    await page.keyboard.press('c');
    await page.waitForFunction(() => window.supple.frame.all);
    await frames(page, 2).catch(() => undefined);
    const half = await coloursIn(page, BODY);
    assert.ok(half.share > 0.25 * whole.share, `${half.share} of the view, ${whole.share} whole`);
    assert.ok(half.share < 0.95 * whole.share, 'something is cut away');
    const left = await coloursIn(page, PIN);
    assert.ok(left.share > 0.5 * pins.share, `${left.share} of pins, ${pins.share} before`);
    await page.keyboard.press('w');
    await page.waitForTimeout(300);
    const wired = await coloursIn(page, BODY);
    assert.ok(wired.share < 0.97 * half.share, 'lines cover some of the body');
    await page.keyboard.press('w');
    await page.keyboard.press('c');
    await page.waitForFunction(() => !window.supple.frame.all);
    await command(page, 'play');
  },

  async 'on a narrow page help and both panels can be reached'({ page }) {
    const size = page.viewportSize();
    await page.setViewportSize({ width: 820, height: 720 });
    for (const label of ['Help', 'Measurements panel', 'Settings panel', 'Record a video']) {
      const box = await page.locator(`.toolbar [aria-label="${label}"]`).boundingBox();
      assert.ok(box !== null && box.x >= 0 && box.x + box.width <= 820, `${label} at ${box?.x}`);
    }
    const panel = page.locator('.panel.right');
    if (await panel.isVisible()) await page.click('[aria-label="Measurements panel"]');
    await page.click('[aria-label="Measurements panel"]');
    await panel.waitFor({ state: 'visible' });
    const box = await panel.boundingBox();
    assert.ok(box.x + box.width <= 820, 'the panel is inside the page');
    await page.click('[aria-label="Help"]');
    await page.locator('dialog.help').waitFor({ state: 'visible' });
    await page.keyboard.press('Escape');
    await page.setViewportSize(size);
    if (!(await page.locator('.panel.left').isVisible())) {
      await page.click('[aria-label="Settings panel"]');
    }
  },

  async 'the names of bodies are those of the scene that is open'({ page }) {
    await showTab(page, 'settings');
    await openScene(page, BLOCK);
    await page.getByText('Body: Block').waitFor();
    const other = structuredClone({ ...BLOCK, name: 'other scene' });
    other.bodies[0].name = 'jelly';
    await openScene(page, other);
    await page.getByText('Body: Jelly').waitFor();
  },

  async 'two pages on one program show the same colours'({ page, open, kind }) {
    if (kind !== 'native') return; // another page would have its own engine
    await openScene(page, BLOCK);
    await showTab(page, 'view');
    const address = await page.evaluate(() => location.href.split('#')[0]);
    const other = await openBeside(page, open, address);
    await showTab(other.page, 'view');
    const colours = (p) => p.getByLabel('Colours', { exact: true });
    await colours(page).selectOption('J');
    await other.page.locator('.legend').waitFor({ state: 'visible' });
    await other.page.waitForFunction(() => window.supple.status.colour === 'J');
    assert.equal(await colours(other.page).inputValue(), 'J');
    await colours(other.page).selectOption('none');
    await page.waitForFunction(() => window.supple.frame.colour === null);
    assert.equal(await colours(page).inputValue(), 'none');
    await other.context.close();
  },

  async 'a build that takes long is cancelled, and the body moves meanwhile'({ page, kind }) {
    if (kind !== 'native') return; // without threads, building blocks the engine
    await openScene(page, BLOCK);
    const cells = { '/bodies/0/mesh/box/cells': [80, 40, 40] };
    const built = page.evaluate(
      (values) =>
        window.supple.command('set', { values }).then(
          () => 'built',
          (e) => e.message,
        ),
      cells,
    );
    await frames(page, 3);
    await page.click('text=Cancel');
    assert.equal(await built, 'was cancelled');
    assert.deepEqual(
      await page.evaluate(() => window.supple.scene.settings.bodies[0].mesh.box.cells),
      [8, 4, 4],
    );
  },

  async 'the convergence of a frame is drawn'({ page }) {
    await openScene(page, BLOCK);
    await frames(page, 3);
    await showTab(page, 'compare');
    await page.click('button:has-text("Convergence")');
    await page.locator('canvas[aria-label^="Error against time"]').waitFor({ state: 'visible' });
  },

  async 'a race shows the errors of two solvers'({ page }) {
    await openScene(page, BLOCK);
    await showTab(page, 'compare');
    const inputs = page.locator('.solver-line input');
    while ((await inputs.count()) > 2) await page.locator('.solver-line button').last().click();
    await inputs.nth(0).fill('l_bfgs');
    await inputs.nth(1).fill('gradient_descent');
    await page.click('button:has-text("Race")');
    await page.waitForFunction(
      () =>
        window.supple.frame.lanes.length === 2 &&
        window.supple.frame.lanes.every((l) => l.error > 0 && l.positions !== null),
    );
    await page.locator('.lane-label').nth(1).waitFor();
    assert.match(await page.locator('.lane-label').nth(0).innerText(), /error \d/);
    await page.click('button:has-text("End race")');
    await page.waitForFunction(() => window.supple.frame.lanes.length === 0);
  },

  async 'what was recorded is exported, and a state goes on where it was saved'({ page }) {
    await openScene(page, BLOCK);
    await showTab(page, 'keep');
    await page.click('button:has-text("Record motion")');
    await page.waitForFunction(() => window.supple.status.recording > 2);
    await page.click('button:has-text("Stop recording")');
    await page.waitForFunction(() => window.supple.status.recording === null);
    await page.getByLabel('Format').selectOption('obj');
    const [exported] = await Promise.all([
      page.waitForEvent('download'),
      page.click('button:has-text("Export")'),
    ]);
    assert.match(exported.suggestedFilename(), /\.(zip|obj)$/);
    await page.keyboard.press('Space');
    await page.waitForFunction(() => !window.supple.status.playing);
    await page.waitForTimeout(200);
    const frame = await page.evaluate(() => window.supple.frame.frame);
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.click('button:has-text("Save state")'),
    ]);
    const file = await saved.path();
    await command(page, 'step', { frames: 3 });
    await page.waitForFunction((f) => window.supple.frame.frame === f + 3, frame);
    const buffer = await readFile(file);
    await page.setInputFiles('input[accept=".supple"]', {
      name: 'block.supple',
      mimeType: 'application/octet-stream',
      buffer,
    });
    await page.waitForFunction((f) => window.supple.frame?.frame === f, frame);
  },

  async 'a link carries scene and settings'({ page, open }) {
    await command(page, 'open', { scene: 'twisting_bar', set: { '/solver/iterations': 7 } });
    await page.waitForFunction(() => window.supple.scene.settings.solver.iterations === 7);
    await page.click('[aria-label="Copy a link to this"]');
    await page.waitForFunction(() => location.hash.startsWith('#scene=twisting_bar'));
    const address = await page.evaluate(() => location.href);
    await command(page, 'open', { scene: 'dropped_cubes' });
    const other = await openBeside(page, open, address);
    await other.page.waitForFunction(
      () =>
        window.supple.scene?.source === 'twisting_bar' &&
        window.supple.scene.settings.solver.iterations === 7,
    );
    await other.context.close();
  },

  async 'on a tablet a finger pulls the body'({ page, open }) {
    const address = await page.evaluate(() => location.href.split('#')[0]);
    const size = { width: 1024, height: 768 };
    const other = await openBeside(page, open, address, {
      viewport: size,
      hasTouch: true,
      colorScheme: 'light',
    });
    const tablet = other.page;
    await openScene(tablet, { ...BLOCK, gravity: [0, 0, 0] });
    await frames(tablet, 3);
    const { vertex, at } = await freeVertex(tablet);
    const start = await tablet.evaluate((v) => window.supple.position(v), vertex);
    const finger = await other.context.newCDPSession(tablet);
    const touch = (type, touchPoints) =>
      finger.send('Input.dispatchTouchEvent', { type, touchPoints });
    await touch('touchStart', [{ x: at[0], y: at[1] }]);
    for (let i = 1; i <= 8; i++) {
      await touch('touchMove', [{ x: at[0], y: at[1] - 10 * i }]);
      await frames(tablet, 1);
    }
    await tablet.waitForFunction(
      ([v, y]) => window.supple.position(v)[1] > y + 0.1,
      [vertex, start[1]],
    );
    await touch('touchEnd', []);
    await tablet.waitForFunction(() => window.supple.frame.grabs.length === 0);
    assert.deepEqual(other.faults, []);
    await other.context.close();
  },

  async 'where there is no WebGL the page says so'({ page, open }) {
    const address = await page.evaluate(() => location.href.split('#')[0]);
    const other = await open(address, {
      before: () => {
        HTMLCanvasElement.prototype.getContext = () => null;
      },
      shown: (closed) => closed.waitForSelector('.cannot-start'),
    });
    assert.match(await other.page.locator('.cannot-start').innerText(), /WebGL 2/);
    await other.context.close();
  },

  async 'a scene that is dropped on the page opens'({ page }) {
    const dropped = { ...BLOCK, name: 'dropped here' };
    await page.evaluate((text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], 'dropped.json', { type: 'application/json' }));
      const target = document.querySelector('.stage');
      for (const kind of ['dragenter', 'dragover', 'drop']) {
        const event = { dataTransfer: data, bubbles: true, cancelable: true };
        target.dispatchEvent(new DragEvent(kind, event));
      }
    }, JSON.stringify(dropped));
    await page.waitForFunction(() => window.supple.scene?.title === 'dropped here');
  },

  async 'a video of the view is kept'({ page }) {
    await openScene(page, BLOCK);
    await page.click('[aria-label="Record a video"]');
    await frames(page, 5);
    await page.waitForTimeout(1000); // a recorder delivers its data at least once a second
    const download = page.waitForEvent('download');
    await page.locator('[aria-label="Stop the video"]').first().click();
    const file = await (await download).path();
    const bytes = await readFile(file);
    const isMp4 = bytes.toString('latin1', 4, 8) === 'ftyp';
    const isWebM = bytes.readUInt32BE(0) === 0x1a45dfa3;
    assert.ok(isMp4 || isWebM, 'the file begins as MP4 or WebM does');
    assert.ok(bytes.length > 5000, `${bytes.length} bytes of video`);
  },

  async 'the view is not blank, and help lists the keys'({ page }) {
    await openScene(page, BLOCK);
    await frames(page, 3);
    const { seen: colours } = await coloursIn(page);
    assert.ok(colours > 40, `${colours} colours`);
    await page.keyboard.press('?');
    await page.locator('dialog.help').waitFor({ state: 'visible' });
    assert.match(await page.locator('dialog.help').innerText(), /Space/);
    await page.keyboard.press('Escape');
    await page.locator('dialog.help').waitFor({ state: 'hidden' });
  },
};
