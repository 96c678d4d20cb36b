/** Pages of a panel, one shown at a time; arrow keys move between the tabs, as ARIA specifies. */
import { h, newId } from './dom';

export interface Page {
  key: string;
  title: string;
  content: HTMLElement[];
}

export class Tabs {
  readonly element: HTMLElement;
  private readonly buttons: HTMLButtonElement[];
  private readonly pages: HTMLElement[];

  constructor(
    label: string,
    private readonly list: Page[],
  ) {
    this.pages = list.map((page) =>
      h('div', { role: 'tabpanel', id: newId('page'), class: 'page' }, ...page.content),
    );
    this.buttons = list.map((page, i) => {
      const b = h(
        'button',
        {
          type: 'button',
          role: 'tab',
          id: newId('tab'),
          class: 'tab',
          'data-tab': page.key,
          'aria-controls': this.pages[i]!.id,
          on: { click: () => this.choose(i), keydown: (event) => this.key(event, i) },
        },
        page.title,
      );
      this.pages[i]!.setAttribute('aria-labelledby', b.id);
      return b;
    });
    this.element = h(
      'div',
      { class: 'tabs' },
      h('div', { role: 'tablist', 'aria-label': label, class: 'tab-list' }, ...this.buttons),
      ...this.pages,
    );
    this.choose(0);
  }

  private choose(chosen: number): void {
    this.buttons.forEach((b, i) => {
      b.setAttribute('aria-selected', String(i === chosen));
      b.tabIndex = i === chosen ? 0 : -1;
      this.pages[i]!.hidden = i !== chosen;
    });
  }

  show(key: string): void {
    const i = this.list.findIndex((p) => p.key === key);
    if (i >= 0) this.choose(i);
  }

  private key(event: KeyboardEvent, i: number): void {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    const next = (i + by + this.buttons.length) % this.buttons.length;
    this.choose(next);
    this.buttons[next]!.focus();
  }
}
