/** How the body is displayed: colours, wireframe, the cut, pins, theme. */
import type { Client } from '../engine/client';
import type { CutAxis } from '../view/cut';
import type { World } from '../view/world';
import { checkbox, choice, h, row, section } from './dom';
import { humanise } from './labels';
import { ForceLegend } from './force_legend';
import { Legend } from './legend';
import { chooseTheme, themeChoice, type ThemeChoice } from './theme';

const COLOUR_NAMES: { [name: string]: string } = {
  none: 'Plain',
  stretch: 'Largest stretch',
  J: 'Volume ratio J',
  von_mises: 'Von Mises stress',
  error: 'Distance to the converged step',
};

export class LookPanel {
  readonly element: HTMLElement;
  readonly legend = new Legend();
  readonly forceLegend = new ForceLegend();
  private colour = 'none';
  private readonly colours: HTMLSelectElement;
  private readonly wire: HTMLInputElement;
  private readonly forces: HTMLInputElement;
  private readonly cutOn: HTMLInputElement;
  private readonly cutParts: HTMLElement;

  constructor(
    private readonly client: Client,
    private readonly world: World,
    private readonly fail: (error: unknown) => void,
  ) {
    this.colours = choice([{ value: 'none', text: 'Plain' }], 'none', (v) => this.setColour(v));
    const wire = checkbox('Wireframe', false, (on) => world.setWireframe(on));
    this.wire = wire.querySelector('input')!;
    const cut = checkbox('Cut open', false, (on) => this.setCut(on));
    this.cutOn = cut.querySelector('input')!;
    const pins = checkbox('Pins', true, (on) => {
      world.pins.wanted = on;
      world.refresh();
    });
    const forces = checkbox('Contact forces', false, (on) => this.setForces(on));
    this.forces = forces.querySelector('input')!;
    const bands = checkbox('Colours in ten bands', false, (on) => {
      world.setBands(on ? 10 : 0);
      this.legend.setBands(on ? 10 : 0);
    });
    this.cutParts = this.buildCut();
    const theme = choice(
      [
        { value: 'auto', text: 'As the system' },
        { value: 'dark', text: 'Dark' },
        { value: 'light', text: 'Light' },
      ],
      themeChoice(),
      (v) => chooseTheme(v as ThemeChoice),
    );
    this.element = section(
      'look',
      'Look',
      true,
      row('Colours', this.colours),
      bands,
      h('div', { class: 'checks' }, wire, pins, cut, forces),
      this.cutParts,
      row('Theme', theme),
    );
    client.on('hello', (hello) => {
      const names = hello.colours.length > 0 ? hello.colours : [{ name: 'none', text: '' }];
      this.colours.replaceChildren(
        ...names.map((c) =>
          h('option', { value: c.name, title: c.text }, COLOUR_NAMES[c.name] ?? humanise(c.name)),
        ),
      );
      // An engine that was restarted has forgotten the display settings; the page has not.
      this.colours.value = this.colour;
      if (this.colour !== 'none') this.setColour(this.colour);
      if (this.world.cut.enabled) this.askForVertices();
      if (this.world.arrows.wanted) this.askForForces();
    });
    client.on('status', (status) => {
      this.colour = status.colour;
      this.colours.value = status.colour;
    });
    world.onShown((frame) => {
      const name = frame.colour?.name ?? '';
      this.legend.show(
        world.lanes.racing ? null : frame.colour,
        COLOUR_NAMES[name] ?? humanise(name),
      );
      this.forceLegend.show(world.arrows.group.visible ? frame.forces : null);
    });
  }

  private buildCut(): HTMLElement {
    const { cut } = this.world;
    const again = () => this.world.refresh();
    const place = h('input', { type: 'range', min: 0, max: 1, step: 0.005, value: cut.place });
    place.addEventListener('input', () => {
      cut.place = Number(place.value);
      again();
    });
    const axis = choice(
      ['x', 'y', 'z'].map((a) => ({ value: a, text: `across ${a}` })),
      cut.axis,
      (a) => {
        cut.axis = a as CutAxis;
        again();
      },
    );
    return h(
      'div',
      { hidden: true },
      row('Plane', axis),
      row('Place', place),
      checkbox('Other side', cut.flipped, (on) => {
        cut.flipped = on;
        again();
      }),
      checkbox('Moves with the material', cut.byRest, (on) => {
        cut.byRest = on;
        again();
      }),
    );
  }

  /** All pages get inner vertices as long as one of them wants them. */
  private askForVertices(): void {
    const vertices = this.world.cut.enabled ? 'all' : 'surface';
    this.client.request('show', { vertices }).catch(this.fail);
  }

  private askForForces(): void {
    this.client.request('show', { forces: this.world.arrows.wanted }).catch(this.fail);
  }

  setForces(on: boolean): void {
    this.world.arrows.wanted = on;
    this.forces.checked = on;
    this.askForForces();
    this.world.refresh();
  }

  toggleForces(): void {
    this.setForces(!this.world.arrows.wanted);
  }

  /** All pages have the same colours, so the control follows the engine's status. */
  setColour(name: string): void {
    this.client.request('show', { colour: name }).catch((error: unknown) => {
      this.fail(error);
      this.colours.value = this.colour;
    });
  }

  setCut(on: boolean): void {
    this.world.cut.enabled = on && this.world.cut.available;
    this.cutOn.checked = this.world.cut.enabled;
    this.cutParts.hidden = !this.world.cut.enabled;
    this.askForVertices();
    this.world.refresh();
  }

  toggleCut(): void {
    this.setCut(!this.world.cut.enabled);
  }

  toggleWireframe(): void {
    this.world.setWireframe(!this.world.wireframe);
    this.wire.checked = this.world.wireframe;
  }
}
