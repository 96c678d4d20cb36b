/** The panels at both sides of the view, and which of them are open. */
import { h } from './dom';

export type Side = 'left' | 'right';

/** Below this width (CSS pixels) one panel is open at a time. */
const WIDE = 1100;
/** Below this an open panel covers the whole view: the page starts with all panels closed. */
const NARROW = 600;

export class Panels {
  readonly left = h('aside', { class: 'panel left', 'aria-label': 'Settings' });
  readonly right = h('aside', { class: 'panel right', 'aria-label': 'Measurements' });
  onChange: () => void = () => undefined;

  /** Opens those for which the window has room. */
  start(): void {
    this.left.hidden = window.innerWidth < NARROW;
    this.right.hidden = window.innerWidth < WIDE;
    this.onChange();
  }

  toggle(side: Side): void {
    const [panel, other] = side === 'left' ? [this.left, this.right] : [this.right, this.left];
    panel.hidden = !panel.hidden;
    if (!panel.hidden && window.innerWidth < WIDE) other.hidden = true;
    this.onChange();
  }

  isOpen(side: Side): boolean {
    return !this[side].hidden;
  }
}
