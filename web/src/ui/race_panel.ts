/** Convergence of the current frame, and the race of solvers from the same state. */
import type { Client } from '../engine/client';
import { isObject } from '../protocol/packet';
import type { Frame } from '../protocol/frame';
import type { World } from '../view/world';
import { button, choice, clear, h, readable, row } from './dom';
import { History } from './history';
import { Plot, type Line } from './plot';

const MOST = 4;
/** These run every material; more can be added. */
const FIRST_CHOICE = ['l_bfgs', 'quasi_newton', 'newton'];
const SPEC_HINT = 'A solver, with options as in l_bfgs:history=8';

/** Two to four solvers, each with options; shared by the race and by the convergence plot. */
class SolverList {
  readonly element = h('div', { class: 'solver-list' });
  private inputs: HTMLInputElement[] = [];
  private readonly names = h('datalist', { id: 'solver-names' });

  constructor(client: Client) {
    this.element.append(this.names);
    client.on('hello', (hello) => {
      this.names.replaceChildren(
        ...hello.solvers.map((s) => h('option', { value: s.name }, s.text)),
      );
      if (this.inputs.length > 0) return;
      const known = FIRST_CHOICE.filter((name) => hello.solvers.some((s) => s.name === name));
      for (const name of known.slice(0, 3)) this.add(name);
    });
  }

  add(spec = 'newton'): void {
    if (this.inputs.length >= MOST) return;
    const input = h('input', {
      type: 'text',
      list: 'solver-names',
      value: spec,
      title: SPEC_HINT,
      spellcheck: 'false',
    });
    const remove = button({
      label: 'Remove this solver',
      icon: 'close',
      class: 'small',
      onPress: () => {
        this.inputs = this.inputs.filter((i) => i !== input);
        line.remove();
        this.number();
      },
    });
    const line = h('div', { class: 'solver-line' }, input, remove);
    this.inputs.push(input);
    this.element.append(line);
    this.number();
  }

  private number(): void {
    this.inputs.forEach((input, i) => input.setAttribute('aria-label', `Solver ${i + 1}`));
  }

  get specs(): string[] {
    return this.inputs.map((i) => i.value.trim()).filter((s) => s !== '');
  }
}

interface Curve {
  label: string;
  points: { [name: string]: number }[];
}

function readCurves(value: unknown): Curve[] {
  if (!Array.isArray(value)) return [];
  return (value as unknown[]).filter(isObject).map((c) => ({
    label: String(c['label']),
    points: (Array.isArray(c['points']) ? c['points'] : []).filter(isObject) as {
      [name: string]: number;
    }[],
  }));
}

export class RacePanel {
  readonly element: HTMLElement;
  private readonly list: SolverList;
  private readonly convergence = new Plot({
    height: 150,
    label: 'Error against time or iterations, one line a solver',
    logY: true,
    legend: true,
  });
  private readonly errors = new Plot({
    height: 130,
    label: 'Distance of each lane to the converged motion, over time',
    y: 'error',
    x: 's',
    logY: true,
    legend: true,
  });
  private readonly table = h('table', { class: 'lanes-table' });
  private readonly startButton: HTMLButtonElement;
  private readonly budget = h('input', { type: 'text', inputmode: 'decimal', value: '8' });
  private readonly message = h('div', { class: 'field-error', role: 'alert', hidden: true });
  private readonly raceParts: HTMLElement;
  private histories: History[] = [];
  private curves: Curve[] = [];
  private against = 'milliseconds';
  private shownAt = 0;

  constructor(
    private readonly client: Client,
    private readonly world: World,
  ) {
    this.list = new SolverList(client);
    this.startButton = button({
      label: 'Race',
      text: 'Race',
      class: 'plain',
      onPress: () => this.toggleRace(),
    });
    const solve = button({
      label: 'Convergence of this frame',
      text: 'Convergence',
      class: 'plain',
      onPress: () => void this.askConvergence(),
    });
    const add = button({
      label: 'Add a solver',
      text: 'Add solver',
      class: 'plain small',
      onPress: () => this.list.add(),
    });
    const against = choice(
      [
        { value: 'milliseconds', text: 'over time, ms' },
        { value: 'iteration', text: 'over iterations' },
      ],
      this.against,
      (v) => {
        this.against = v;
        this.showCurves();
      },
    );
    against.setAttribute('aria-label', 'Convergence over');
    this.raceParts = h('div', { hidden: true }, this.table, this.errors.element);
    const convergenceParts = h('div', { hidden: true }, against, this.convergence.element);
    this.convergenceParts = convergenceParts;
    this.element = h(
      'div',
      { class: 'section-body' },
      h(
        'p',
        { class: 'hint' },
        'Two to four solvers from the current state: side by side with equal time, or one frame to convergence.',
      ),
      this.list.element,
      add,
      row('Time a frame', this.budget, 'ms'),
      h('div', { class: 'buttons' }, this.startButton, solve),
      this.message,
      this.raceParts,
      convergenceParts,
    );
    client.on('status', (status) => {
      const text = status.race ? 'End race' : 'Race';
      clear(this.startButton, h('span', {}, text));
      this.startButton.setAttribute('aria-label', text);
    });
    client.on('frame', (frame) => this.take(frame));
  }

  private readonly convergenceParts: HTMLElement;

  private say(text: string | null): void {
    this.message.hidden = text === null;
    this.message.textContent = text ?? '';
  }

  private toggleRace(): void {
    this.say(null);
    if (this.client.status.race) {
      this.client.send('end_race');
      return;
    }
    this.histories = [];
    const budget = Number(this.budget.value.replace(',', '.'));
    this.client
      .request('race', { solvers: this.list.specs, budget_ms: budget })
      .then(() => this.client.send('play'))
      .catch((error: unknown) => this.say(error instanceof Error ? error.message : String(error)));
  }

  private async askConvergence(): Promise<void> {
    this.say(null);
    try {
      const { header } = await this.client.request('convergence', {
        solvers: this.list.specs,
        iterations: 30,
      });
      this.curves = readCurves(header['curves']);
      this.convergenceParts.hidden = this.curves.length === 0;
      this.showCurves();
    } catch (error) {
      this.say(error instanceof Error ? error.message : String(error));
    }
  }

  private showCurves(): void {
    const lines: Line[] = this.curves.map((curve) => ({
      name: curve.label,
      points: curve.points.map((p): [number, number] => [
        p[this.against] ?? NaN,
        p['position_error'] ?? NaN,
      ]),
    }));
    this.convergence.show(lines);
  }

  private take(frame: Frame): void {
    const racing = frame.lanes.length > 0;
    if (racing === this.raceParts.hidden) {
      this.raceParts.hidden = !racing;
      if (racing) {
        this.histories = frame.lanes.map(() => new History(600));
        // The lanes replace the single body, so show them all.
        requestAnimationFrame(() => requestAnimationFrame(() => this.world.frameAll()));
      }
    }
    if (!racing) return;
    while (this.histories.length < frame.lanes.length) this.histories.push(new History(600));
    frame.lanes.forEach((lane, i) => this.histories[i]!.add(frame.time, lane.error));
    const now = performance.now();
    if (now - this.shownAt < 200) return;
    this.shownAt = now;
    this.errors.show(
      frame.lanes.map((lane, i) => ({ name: lane.label, points: this.histories[i]!.points })),
    );
    const head = ['Solver', 'Error', 'Iter.', 'ms'].map((t) => h('th', { scope: 'col' }, t));
    clear(
      this.table,
      h('thead', {}, h('tr', {}, ...head)),
      h(
        'tbody',
        {},
        ...frame.lanes.map((lane) =>
          h(
            'tr',
            {},
            h('th', { scope: 'row' }, lane.label),
            h('td', {}, readable(lane.error, 2)),
            h('td', {}, String(lane.iterations)),
            h('td', {}, readable(lane.ms, 3)),
          ),
        ),
      ),
    );
  }
}
