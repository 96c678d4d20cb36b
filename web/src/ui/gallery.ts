/** The available scenes with their pictures, and a place to drop a scene or a mesh. */
import type { Client } from '../engine/client';
import { button, clear, h } from './dom';
import type { Keeper } from '../keep/files';

export class Gallery {
  readonly element: HTMLElement;
  private readonly list = h('div', { class: 'gallery', role: 'list' });
  private readonly input = h('input', { type: 'file', multiple: true, hidden: true });

  constructor(
    private readonly client: Client,
    keeper: Keeper,
    private readonly fail: (error: unknown) => void,
  ) {
    this.input.addEventListener('change', () => {
      void keeper.openFiles([...(this.input.files ?? [])]);
      this.input.value = '';
    });
    this.element = h(
      'div',
      { class: 'section-body' },
      this.list,
      h(
        'div',
        { class: 'drop-hint' },
        h('p', { class: 'hint' }, 'Drop a scene (.json with its meshes) or a mesh anywhere, or '),
        button({
          label: 'Open files…',
          text: 'Open files…',
          class: 'plain small',
          onPress: () => this.input.click(),
        }),
        this.input,
      ),
    );
    client.on('hello', (hello) => {
      clear(
        this.list,
        ...hello.scenes.map((scene) => {
          const picture = h('img', {
            src: scene.picture,
            alt: '',
            loading: 'lazy',
            width: 120,
            height: 80,
          });
          // A scene without a picture has only its name.
          picture.addEventListener('error', () => picture.remove());
          return h(
            'button',
            {
              type: 'button',
              class: 'card',
              role: 'listitem',
              'data-scene': scene.name,
              on: { click: () => this.open(scene.name) },
            },
            h('span', { class: 'card-picture' }, scene.picture !== '' && picture),
            h('span', { class: 'card-title' }, scene.title),
          );
        }),
      );
      this.mark();
    });
    client.on('scene', () => this.mark());
  }

  private open(scene: string): void {
    this.client.request('open', { scene }).catch(this.fail);
  }

  private mark(): void {
    for (const card of this.list.querySelectorAll<HTMLElement>('.card')) {
      const current = card.dataset['scene'] === this.client.scene?.source;
      if (current) card.setAttribute('aria-current', 'true');
      else card.removeAttribute('aria-current');
    }
  }
}
