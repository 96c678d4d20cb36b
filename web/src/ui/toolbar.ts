/** The bar at the top: time, what is done to the body, tools, undo, record, help. */
import type { Page } from '../page';
import type { ToolName } from '../tools/pointer';
import type { IconName } from './dom';
import { button, choice, clear, h, icon, setPressed } from './dom';

const SPEEDS = [
  { value: '1', text: 'Real time' },
  { value: '0.5', text: '½ speed' },
  { value: '0.25', text: '¼ speed' },
  { value: '0.1', text: '1⁄10 speed' },
  { value: '0', text: 'As fast as it goes' },
];

const TOOLS: { name: ToolName; label: string; icon: IconName }[] = [
  { name: 'pull', label: 'Pull', icon: 'pull' },
  { name: 'pin', label: 'Pin or unpin by clicking', icon: 'pin' },
  { name: 'box', label: 'Pin a box, with shift unpin', icon: 'box' },
  { name: 'handle', label: 'Move and turn pins and colliders', icon: 'handle' },
  { name: 'knife', label: 'Cut by a stroke', icon: 'knife' },
];

export function buildToolbar(page: Page): HTMLElement {
  const { client, actions } = page;
  const play = button({ label: 'Play', icon: 'play', key: 'Space', onPress: actions.playPause });
  play.classList.add('primary');
  const speed = choice(SPEEDS, '1', (value) => client.send('speed', { factor: Number(value) }));
  speed.setAttribute('aria-label', 'Speed');
  speed.className = 'speed';
  const undo = button({ label: 'Undo', icon: 'undo', key: 'Control+Z', onPress: actions.undo });
  const redo = button({ label: 'Redo', icon: 'redo', key: 'Control+Y', onPress: actions.redo });
  const tools = TOOLS.map((tool, i) => {
    const b = button({
      label: tool.label,
      icon: tool.icon,
      key: String(i + 1),
      onPress: () => page.pointers.choose(tool.name),
    });
    b.dataset['tool'] = tool.name;
    return b;
  });
  const left = button({
    label: 'Settings panel',
    icon: 'left',
    key: '[',
    onPress: () => page.panels.toggle('left'),
  });
  const right = button({
    label: 'Measurements panel',
    icon: 'right',
    key: ']',
    onPress: () => page.panels.toggle('right'),
  });
  const group = (name: string, ...children: Node[]) =>
    h('div', { class: 'tool-group', role: 'group', 'aria-label': name }, ...children);

  client.on('status', (status) => {
    const label = status.playing ? 'Pause' : 'Play';
    clear(play, icon(status.playing ? 'pause' : 'play'));
    play.setAttribute('aria-label', label);
    play.title = `${label} (Space)`;
    speed.value = String(status.speed);
    if (speed.selectedIndex < 0) {
      speed.append(h('option', { value: String(status.speed) }, `${status.speed} × real time`));
      speed.value = String(status.speed);
    }
  });
  client.on('scene', (scene) => {
    undo.disabled = !scene.undo;
    redo.disabled = !scene.redo;
  });
  page.pointers.onChange((name) => {
    for (const b of tools) setPressed(b, b.dataset['tool'] === name);
  });
  const panels = () => {
    setPressed(left, page.panels.isOpen('left'));
    setPressed(right, page.panels.isOpen('right'));
  };
  page.panels.onChange = panels;

  return h(
    'header',
    { class: 'toolbar', role: 'toolbar', 'aria-label': 'Viewer' },
    group('Panels', left),
    group(
      'Time',
      play,
      button({ label: 'One step', icon: 'step', key: 'S', onPress: actions.step }),
      button({ label: 'Start again', icon: 'reset', key: 'R', onPress: actions.reset }),
      speed,
    ),
    group('Tools', ...tools),
    group(
      'Deform',
      button({ label: 'Squash flat', icon: 'squash', text: 'Squash', onPress: actions.squash }),
      button({
        label: 'Every vertex at a random place',
        icon: 'random',
        text: 'Randomise',
        onPress: actions.randomise,
      }),
    ),
    group('History', undo, redo),
    h('div', { class: 'space' }),
    group(
      'Keep',
      button({ label: 'Copy a link to this', icon: 'link', onPress: actions.copyLink }),
      page.recordButton,
      button({ label: 'Help', icon: 'help', key: '?', onPress: actions.help }),
      right,
    ),
  );
}
