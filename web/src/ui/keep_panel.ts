/** Saving: positions for other programs, a video of the view, the state, a picture. */
import type { Client } from '../engine/client';
import type { Keeper } from '../keep/files';
import { VideoRecorder } from '../keep/video';
import type { Stage } from '../view/stage';
import { button, choice, clear, download, h, icon, row } from './dom';

export class KeepPanel {
  readonly element: HTMLElement;
  private readonly video: VideoRecorder;
  private readonly formats = choice([], '', () => undefined);
  private readonly recordMotion: HTMLButtonElement;
  private readonly recordVideo: HTMLButtonElement;
  private readonly count = h('p', { class: 'hint', role: 'status' });

  constructor(
    client: Client,
    private readonly stage: Stage,
    private readonly toolbarButton: HTMLButtonElement,
    keeper: Keeper,
    private readonly fail: (error: unknown) => void,
  ) {
    this.video = new VideoRecorder(stage.renderer.domElement);
    const press = (text: string, onPress: () => void) =>
      button({ label: text, text, class: 'plain', onPress });
    this.recordMotion = press('Record motion', () =>
      client.send('record', { on: client.status.recording === null }),
    );
    this.recordVideo = press('Record video', () => this.toggleVideo());
    toolbarButton.addEventListener('click', () => this.toggleVideo());
    const file = h('input', { type: 'file', accept: '.supple', hidden: true });
    file.addEventListener('change', () => {
      const first = file.files?.[0];
      if (first !== undefined) void keeper.loadState(first);
      file.value = '';
    });
    const part = (title: string, hint: string, ...content: HTMLElement[]) =>
      h(
        'section',
        { class: 'section-body keep-part' },
        h('h3', {}, title),
        h('p', { class: 'hint' }, hint),
        ...content,
      );
    this.element = h(
      'div',
      {},
      part(
        'View',
        'A video (WebM or MP4) or a picture of the view as it is.',
        h(
          'div',
          { class: 'buttons' },
          this.recordVideo,
          press('Picture', () => this.picture()),
        ),
      ),
      part(
        'Motion',
        'Positions of each frame, for other programs.',
        h('div', { class: 'buttons' }, this.recordMotion),
        this.count,
        row('Format', this.formats),
        h(
          'div',
          { class: 'buttons' },
          press('Export', () => void keeper.exportAs(this.formats.value)),
        ),
      ),
      part(
        'State',
        'Scene, settings, positions and velocities, to go on from later.',
        h(
          'div',
          { class: 'buttons' },
          press('Save state', () => void keeper.saveState()),
          press('Load state…', () => file.click()),
          file,
        ),
      ),
    );
    client.on('hello', (hello) => {
      this.formats.replaceChildren(
        ...hello.exports.map((f) => h('option', { value: f.name, title: f.text }, f.name)),
      );
    });
    client.on('status', ({ recording }) => {
      const text = recording === null ? 'Record motion' : 'Stop recording';
      clear(this.recordMotion, h('span', {}, text));
      this.recordMotion.setAttribute('aria-label', text);
      if (recording !== null) this.count.textContent = `${recording} frames recorded`;
    });
  }

  toggleVideo(): void {
    try {
      if (this.video.running) this.video.stop();
      else this.video.start((video, ending) => download(`supple.${ending}`, video));
    } catch (error) {
      this.fail(error);
    }
    const on = this.video.running;
    const label = on ? 'Stop the video' : 'Record a video';
    this.toolbarButton.classList.toggle('recording', on);
    this.toolbarButton.setAttribute('aria-label', label);
    this.toolbarButton.title = label;
    clear(this.toolbarButton, icon('record'));
    clear(this.recordVideo, h('span', {}, on ? 'Stop video' : 'Record video'));
    this.recordVideo.setAttribute('aria-label', label);
    this.stage.redraw();
  }

  private picture(): void {
    // The canvas keeps a picture only until the next one is drawn, so read it right after drawing.
    this.stage.renderer.render(this.stage.scene, this.stage.camera);
    this.stage.renderer.domElement.toBlob((blob) => {
      if (blob !== null) download('supple.png', blob);
    });
  }
}
