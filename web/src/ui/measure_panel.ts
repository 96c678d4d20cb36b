/**
 * The right panel: the time of a frame and where it goes, energies, how far it is from converged.
 */
import type { Client } from '../engine/client';
import type { Frame } from '../protocol/frame';
import type { World } from '../view/world';
import { clear, h, readable, section } from './dom';
import { ForcePart } from './force_part';
import { Plot } from './plot';
import { History } from './history';

/** How many past frames the plots show. */
const KEPT = 300;
/** Interval between updates of the panel, ms: nobody can read faster. */
const EVERY = 150;

const STAGES = [
  { key: 'local', name: 'Forces' },
  { key: 'solve', name: 'Solve' },
  { key: 'contact', name: 'Contact' },
  { key: 'rest', name: 'Rest' },
] as const;

export class MeasurePanel {
  readonly element = h('div', { class: 'measures' });
  private readonly numbers = h('dl', { class: 'numbers' });
  private readonly bar = h('div', { class: 'stages', role: 'img' });
  private readonly barKeys = h('div', { class: 'stage-keys' });
  private readonly energy = new Plot({
    height: 120,
    label: 'Energies over time',
    y: 'J',
    x: 's',
    legend: true,
  });
  private readonly residual = new Plot({
    height: 100,
    label: 'Residual at the end of each frame, relative to its start',
    y: '|∇g| / |∇g₀|',
    x: 's',
    logY: true,
  });
  private readonly history = {
    kinetic: new History(KEPT),
    elastic: new History(KEPT),
    pins: new History(KEPT),
    gravity: new History(KEPT),
    pressure: new History(KEPT),
    residual: new History(KEPT),
  };
  private readonly forces = new ForcePart();
  private readonly stages = { local: 0, solve: 0, contact: 0, rest: 0, total: 0 };
  private hasPressure = false;
  private lastFrame = -1;
  private shownAt = 0;
  private newest: Frame | null = null;
  private waits = false;

  constructor(
    client: Client,
    private readonly world: World,
  ) {
    this.element.append(
      section(
        'performance',
        'Performance',
        true,
        this.numbers,
        h('div', { class: 'curve-title' }, 'Time of a frame, by stage'),
        this.bar,
        this.barKeys,
      ),
      this.forces.element,
      section('energies', 'Energies', true, this.energy.element),
      section('residual', 'Residual', true, this.residual.element),
    );
    client.on('frame', (frame) => this.take(frame));
    client.on('topology', () => this.clear());
  }

  private clear(): void {
    for (const each of Object.values(this.history)) each.clear();
    this.hasPressure = false;
    this.lastFrame = -1;
    this.newest = null;
    this.stages.total = 0;
  }

  private take(frame: Frame): void {
    if (frame.frame < this.lastFrame) this.clear();
    if (frame.frame !== this.lastFrame) {
      this.lastFrame = frame.frame;
      for (const name of ['kinetic', 'elastic', 'pins', 'gravity', 'pressure'] as const) {
        this.history[name].add(frame.time, frame.energies[name]);
      }
      if (frame.energies.pressure !== 0) this.hasPressure = true;
      const report = frame.report;
      if (report !== null) {
        this.history.residual.add(frame.time, report.gradientNorm / report.startGradientNorm);
        this.average(report.ms);
      }
    }
    this.newest = frame;
    if (performance.now() - this.shownAt >= EVERY) this.showNewest();
    else if (!this.waits) {
      // This way the last frame before a pause is shown too.
      this.waits = true;
      setTimeout(() => this.showNewest(), EVERY);
    }
  }

  private showNewest(): void {
    this.waits = false;
    this.shownAt = performance.now();
    if (this.newest !== null) this.show(this.newest);
  }

  /** A moving average over about twenty frames, so that the bar does not flicker. */
  private average(ms: { total: number; local: number; solve: number; contact: number }): void {
    const s = this.stages;
    const part = s.total === 0 ? 1 : 0.05;
    const mix = (old: number, now: number): number => old + part * (now - old);
    s.total = mix(s.total, ms.total);
    s.local = mix(s.local, ms.local);
    s.solve = mix(s.solve, ms.solve);
    s.contact = mix(s.contact, ms.contact);
    s.rest = Math.max(0, s.total - s.local - s.solve - s.contact);
  }

  private show(frame: Frame): void {
    const report = frame.report;
    const topology = this.world.surface?.topology;
    const tets = (topology?.tets.length ?? 0) / 4;
    const rows: [string, string][] = [
      ['Simulation', `${readable(frame.rate, 3)} frames/s`],
      ['Speed', `${readable(frame.speedAchieved, 3)} × real time`],
      ['Page', `${this.world.stats.fps} pictures/s`],
      ['Frame time', report === null ? '–' : `${readable(report.ms.total, 3)} ms`],
      ['Page’s script', `${readable(this.world.stats.script_ms, 2)} ms a frame`],
      [
        'Iterations',
        report === null ? '–' : `${report.iterations}, ${report.status.replaceAll('_', ' ')}`,
      ],
      ['Inverted tets', report === null ? '–' : String(report.invertedTets)],
      ['Contacts', report === null ? '–' : String(report.contacts)],
      ['Size', `${topology?.numVertices ?? 0} vertices, ${tets} tets`],
    ];
    clear(this.numbers, ...rows.flatMap(([k, v]) => [h('dt', {}, k), h('dd', {}, v)]));
    this.showStages();
    this.forces.show(frame, topology?.bodies ?? [], this.world.arrows.wanted);
    const { kinetic, elastic, pins, gravity, pressure, residual } = this.history;
    this.energy.show([
      { name: 'kinetic', points: kinetic.points },
      { name: 'elastic', points: elastic.points },
      { name: 'pins', points: pins.points },
      { name: 'gravity', points: gravity.points },
      ...(this.hasPressure ? [{ name: 'pressure', points: pressure.points }] : []),
    ]);
    this.residual.show([{ name: 'residual', points: residual.points }]);
  }

  private showStages(): void {
    const s = this.stages;
    if (s.total <= 0) return;
    this.bar.setAttribute(
      'aria-label',
      STAGES.map(({ key, name }) => `${name} ${readable(s[key], 2)} ms`).join(', '),
    );
    clear(
      this.bar,
      ...STAGES.map(({ key }) => {
        const part = h('div', { class: `stage-part ${key}` });
        part.style.flexGrow = String(Math.max(0, s[key] / s.total));
        return part;
      }),
    );
    clear(
      this.barKeys,
      ...STAGES.map(({ key, name }) =>
        h('span', {}, h('i', { class: `stage-part ${key}` }), `${name} ${readable(s[key], 2)} ms`),
      ),
    );
  }
}
