/** Notes that come and go: messages of the engine and errors that belong to no field. */
import { button, h } from './dom';

const LONGEST = 5;

export class Toasts {
  readonly element = h('div', { class: 'toasts', role: 'status', 'aria-live': 'polite' });

  show(text: string, level = 'info'): void {
    for (const old of this.element.children) {
      if ((old as HTMLElement).dataset['text'] === text) old.remove();
    }
    const close = button({ label: 'Dismiss', icon: 'close', onPress: () => toast.remove() });
    const sign = level === 'error' ? 'Error: ' : level === 'warning' ? 'Note: ' : '';
    const toast = h(
      'div',
      { class: `toast ${level}`, 'data-text': text },
      h('span', {}, sign !== '' && h('strong', {}, sign), text),
      close,
    );
    this.element.append(toast);
    while (this.element.children.length > LONGEST) this.element.firstElementChild?.remove();
    setTimeout(() => toast.remove(), level === 'info' ? 5000 : 12000);
  }
}
