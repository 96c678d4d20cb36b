/** The page: its parts and who listens to whom. */
import { Client, CommandError } from './engine/client';
import type { Engine, EngineState } from './engine/engine';
import { Keeper } from './keep/files';
import { readLink, writeLink } from './keep/link';
import type { Page } from './page';
import { exposeHooks } from './scripting';
import { HandleTool } from './tools/handle';
import { KnifeTool } from './tools/knife';
import { BoxTool, PinTool } from './tools/pin';
import { Pointers } from './tools/pointer';
import { PullTool } from './tools/pull';
import { button, h } from './ui/dom';
import { Gallery } from './ui/gallery';
import { Help } from './ui/help';
import { KeepPanel } from './ui/keep_panel';
import { LookPanel } from './ui/look_panel';
import { MeasurePanel } from './ui/measure_panel';
import { listenToDrops, Overlay } from './ui/overlay';
import { Panels } from './ui/panels';
import { RacePanel } from './ui/race_panel';
import { SettingsPanel } from './ui/settings_panel';
import { listenToKeys } from './ui/shortcuts';
import { Toasts } from './ui/toasts';
import { Tabs } from './ui/tabs';
import { ToolPanel } from './ui/tool_panel';
import { buildToolbar } from './ui/toolbar';
import { Stage } from './view/stage';
import { World } from './view/world';

export class App implements Page {
  readonly client: Client;
  readonly stage = new Stage();
  readonly world: World;
  readonly pointers: Pointers;
  readonly pull: PullTool;
  readonly handle: HandleTool;
  readonly look: LookPanel;
  readonly recordButton = button({
    label: 'Record a video',
    icon: 'record',
    onPress: () => undefined,
  });
  readonly panels = new Panels();
  readonly actions: Page['actions'] = {
    playPause: () => this.client.send(this.client.status.playing ? 'pause' : 'play'),
    step: () => this.client.send('step', { frames: 1 }),
    reset: () => this.client.send('reset'),
    squash: () => this.client.send('squash', { axis: 'y' }),
    randomise: () => this.client.send('randomise', { seed: Math.floor(Math.random() * 2 ** 31) }),
    undo: () => this.client.send('undo'),
    redo: () => this.client.send('redo'),
    copyLink: () => void this.copyLink(),
    help: () => this.help.toggle(),
  };
  connected = false;

  private readonly toasts = new Toasts();
  private readonly help = new Help();
  private readonly connection = h('div', { class: 'connection', role: 'status' });
  private linkApplied = false;

  constructor(engine: Engine, root: HTMLElement) {
    this.client = new Client(engine);
    this.world = new World(this.stage, this.client);
    const { client, world, fail } = this;
    this.pointers = new Pointers(world);
    this.pull = new PullTool(world, client);
    this.handle = new HandleTool(world, client, fail);
    const box = new BoxTool(world, client, fail);
    const knife = new KnifeTool(world, client, (text) => this.toasts.show(text), fail);
    for (const tool of [this.pull, new PinTool(world, client, fail), box, this.handle, knife]) {
      this.pointers.add(tool);
    }
    this.look = new LookPanel(client, world, fail);
    const keeper = new Keeper(client, fail, (text) => this.toasts.show(text));
    const tools = new ToolPanel(this.pull, this.handle);
    this.pointers.onChange((name) => tools.show(name));
    const settings = new SettingsPanel(client, fail).element;
    this.panels.left.append(
      new Tabs('Settings', [
        { key: 'scenes', title: 'Scenes', content: [new Gallery(client, keeper, fail).element] },
        { key: 'settings', title: 'Settings', content: [settings] },
        { key: 'view', title: 'View', content: [tools.element, this.look.element] },
      ]).element,
    );
    const keep = new KeepPanel(client, this.stage, this.recordButton, keeper, fail).element;
    this.panels.right.append(
      new Tabs('Measurements', [
        { key: 'measure', title: 'Measure', content: [new MeasurePanel(client, world).element] },
        { key: 'compare', title: 'Compare', content: [new RacePanel(client, world).element] },
        { key: 'keep', title: 'Keep', content: [keep] },
      ]).element,
    );
    const overlay = new Overlay(client, world);
    overlay.element.append(
      h('div', { class: 'legends' }, this.look.legend.element, this.look.forceLegend.element),
      box.element,
      knife.element,
    );
    const view = [this.stage.element, overlay.element, this.connection];
    root.replaceChildren(
      buildToolbar(this),
      h(
        'div',
        { class: 'middle' },
        this.panels.left,
        h('main', { class: 'viewport' }, ...view),
        this.panels.right,
      ),
      this.toasts.element,
      this.help.element,
    );
    listenToKeys(this);
    listenToDrops(root, keeper);
    this.panels.start();
    this.pointers.choose('pull');
    client.on('state', (state) => this.showState(state));
    client.on('note', (note) => this.toasts.show(note.text, note.level));
    client.on('hello', () => this.applyLink());
    client.on('scene', (scene) => (document.title = `${scene.title} – supple`));
    window.addEventListener('hashchange', () => {
      this.linkApplied = false;
      this.applyLink();
    });
    exposeHooks(this);
    client.start();
  }

  private showState(state: EngineState): void {
    this.connected = state.kind === 'open';
    this.connection.textContent = state.text;
    this.connection.hidden = this.connected;
    this.connection.classList.toggle('failed', state.kind === 'failed');
  }

  /** Shows why a command was refused, if no field can show it. */
  readonly fail = (error: unknown): void => {
    const text = error instanceof Error ? error.message : String(error);
    const where = error instanceof CommandError && error.where !== '' ? `${error.where}: ` : '';
    this.toasts.show(where + text, 'error');
  };

  /** Once per address: after a reconnection the session is as it was left. */
  private applyLink(): void {
    if (this.linkApplied) return;
    this.linkApplied = true;
    const link = readLink(location.hash);
    if (link === null) return;
    this.client.request('open', { scene: link.scene, set: link.set }).catch(this.fail);
  }

  private async copyLink(): Promise<void> {
    const { scene, hello } = this.client;
    if (scene === null) return;
    if (hello?.scenes.some((s) => s.name === scene.source) !== true) {
      this.toasts.show('This scene is not of the gallery: save its state instead.', 'warning');
      return;
    }
    const link = writeLink(new URL(location.href), { scene: scene.source, set: scene.changed });
    this.linkApplied = true;
    history.replaceState(null, '', link.slice(link.indexOf('#')));
    try {
      await navigator.clipboard.writeText(link);
      this.toasts.show('The link is on the clipboard.');
    } catch {
      this.toasts.show('The link stands in the address bar.');
    }
  }
}
