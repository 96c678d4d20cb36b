/** Elements over the view: what the engine is doing, names of lanes, the place to drop files. */
import type { Client } from '../engine/client';
import type { Keeper } from '../keep/files';
import type { Warning } from '../protocol/frame';
import type { World } from '../view/world';
import { button, clear, h, readable } from './dom';

const BUSY: { [what: string]: string } = {
  building: 'Building…',
  factorising: 'Factorising…',
  converging: 'Solving to convergence…',
};

const NAMES: { [code: string]: string } = {
  unconverged: 'Not converged',
  energy_gain: 'Energy gained',
  inverted: 'Tets inside out',
  deep_contact: 'Deep contact',
  tunnelled: 'Passed a collider',
  self_intersection: 'Bodies intersect',
  poor_elements: 'Flat tets',
  step_too_large: 'Step too large',
};

/** The text of a warning with its frames. */
function said(warning: Warning): string {
  const [first, last] = warning.frames;
  return `${warning.text} (${first === last ? `frame ${first}` : `frames ${first} to ${last}`})`;
}

export class Overlay {
  readonly element = h('div', { class: 'overlay' });
  private readonly clock = h('span', { class: 'chip', title: 'Frame and simulated time' });
  private readonly busy = h('span', { class: 'chip busy', hidden: true, role: 'status' });
  private readonly cancel: HTMLButtonElement;
  private readonly warning = h('span', { class: 'chip warning', hidden: true, role: 'status' });
  private readonly paused = h('span', { class: 'chip' }, 'Paused');
  private readonly labels = h('div', { class: 'lane-labels' });

  constructor(
    client: Client,
    private readonly world: World,
  ) {
    this.cancel = button({
      label: 'Cancel what is being built',
      text: 'Cancel',
      onPress: () => client.send('cancel'),
    });
    this.cancel.classList.add('small', 'cancel');
    this.cancel.hidden = true;
    const all = button({
      label: 'Show all',
      icon: 'frame',
      key: 'F',
      class: 'show-all',
      onPress: () => world.frameAll(),
    });
    this.element.append(
      all,
      h('div', { class: 'chips' }, this.clock, this.paused, this.busy, this.cancel, this.warning),
      this.labels,
    );
    client.on('status', (status) => {
      this.paused.hidden = status.playing;
      this.busy.hidden = status.busy === null;
      this.cancel.hidden = !status.cancel;
      this.busy.textContent = status.busy === null ? '' : (BUSY[status.busy] ?? `${status.busy}…`);
    });
    world.onShown((frame) => {
      this.clock.textContent = `Frame ${frame.frame} · ${frame.time.toFixed(2)} s`;
      this.showWarnings(frame.report?.warnings ?? []);
      this.showLanes();
    });
    world.stage.controls.addEventListener('change', () => this.showLanes());
  }

  private showWarnings(warnings: Warning[]): void {
    const names = warnings.map((w) => NAMES[w.code] ?? w.code).join(', ');
    const title = warnings.map(said).join('\n');
    // Frames come sixty times a second, and a screen reader reads whatever is set.
    if (this.warning.textContent !== names) this.warning.textContent = names;
    if (this.warning.title !== title) this.warning.title = title;
    this.warning.hidden = warnings.length === 0;
  }

  private showLanes(): void {
    const lanes = this.world.lanes.racing ? this.world.lanes.list : [];
    if (lanes.length === 0) {
      if (this.labels.childElementCount > 0) clear(this.labels);
      return;
    }
    if (this.labels.childElementCount !== lanes.length) {
      clear(
        this.labels,
        ...lanes.map(() => h('div', { class: 'lane-label' }, h('strong'), h('span'))),
      );
    }
    lanes.forEach((lane, i) => {
      const label = this.labels.children[i] as HTMLElement;
      const point = this.world.lanes.labelPoint(i);
      if (point === null) return;
      const at = this.world.stage.project(point);
      label.style.left = `${at.x}px`;
      label.style.top = `${at.y - 10}px`;
      label.children[0]!.textContent = lane.label;
      label.children[1]!.textContent = `error ${readable(lane.error, 2)}`;
    });
  }
}

/** Accepts files that are dropped anywhere on the page. */
export function listenToDrops(root: HTMLElement, keeper: Keeper): void {
  const target = h(
    'div',
    { class: 'drop-target', hidden: true },
    'Drop a scene, a mesh or a state',
  );
  root.append(target);
  let depth = 0;
  const isFiles = (event: DragEvent): boolean =>
    event.dataTransfer?.types.includes('Files') === true;
  window.addEventListener('dragenter', (event) => {
    if (!isFiles(event)) return;
    depth++;
    target.hidden = false;
  });
  window.addEventListener('dragleave', () => {
    depth = Math.max(0, depth - 1);
    if (depth === 0) target.hidden = true;
  });
  window.addEventListener('dragover', (event) => {
    if (isFiles(event)) event.preventDefault();
  });
  window.addEventListener('drop', (event) => {
    if (!isFiles(event)) return;
    event.preventDefault();
    depth = 0;
    target.hidden = true;
    void keeper.openFiles([...(event.dataTransfer?.files ?? [])]);
  });
}
