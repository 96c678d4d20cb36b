/** The legend of the colours: the scale with numbers and unit, over the view. */
import type { FrameColour } from '../protocol/frame';
import { textureData } from '../view/colour_scale';
import { clear, h, readable } from './dom';
import { ticks } from './plot';
import { prettyUnit } from './field_control';

const HEIGHT = 180;

export class Legend {
  readonly element: HTMLElement;
  private readonly title = h('div', { class: 'legend-title' });
  private readonly scale = h('canvas', { width: 1, height: 256, class: 'legend-scale' });
  private readonly marks = h('div', { class: 'legend-marks' });
  private shown = '';

  constructor() {
    this.marks.style.height = this.scale.style.height = `${HEIGHT}px`;
    this.element = h(
      'figure',
      { class: 'legend', hidden: true },
      this.title,
      h('div', { class: 'legend-body' }, this.scale, this.marks),
    );
    this.setBands(0);
  }

  setBands(bands: number): void {
    const c = this.scale.getContext('2d');
    if (c === null) return;
    const data = textureData(bands);
    const picture = c.createImageData(1, 256);
    for (let i = 0; i < 256; i++) {
      picture.data.set(data.subarray(4 * i, 4 * i + 4), 4 * (255 - i));
    }
    c.putImageData(picture, 0, 0);
  }

  show(colour: FrameColour | null, title: string): void {
    this.element.hidden = colour === null;
    if (colour === null) return;
    const { low, high } = colour;
    const key = `${title} ${readable(low, 3)} ${readable(high, 3)}`;
    if (key === this.shown) return;
    this.shown = key;
    const unit = colour.unit === '' ? '' : `, ${prettyUnit(colour.unit)}`;
    this.title.textContent = `${title}${unit}`;
    const inner = ticks(low, high, 4).filter((v) => {
      const t = (v - low) / (high - low);
      // Numbers are one line high: any closer to the ends they would overlap.
      return t > 0.11 && t < 0.89;
    });
    clear(
      this.marks,
      ...[low, ...inner, high].map((value) => {
        const mark = h('span', {}, readable(value, 3));
        const t = high > low ? (value - low) / (high - low) : 0;
        mark.style.bottom = `${t * HEIGHT}px`;
        return mark;
      }),
    );
  }
}
