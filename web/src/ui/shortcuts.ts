/** Keys that work wherever the focus is, except in text fields. */
import type { Page } from '../page';

function types(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement)
    return !['range', 'checkbox', 'file'].includes(target.type);
  return target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
}

export function listenToKeys(page: Page): void {
  const { actions } = page;
  const plain: { [key: string]: () => void } = {
    ' ': actions.playPause,
    s: actions.step,
    r: actions.reset,
    '1': () => page.pointers.choose('pull'),
    '2': () => page.pointers.choose('pin'),
    '3': () => page.pointers.choose('box'),
    '4': () => page.pointers.choose('handle'),
    '5': () => page.pointers.choose('knife'),
    g: () => page.handle.setMode('translate'),
    t: () => page.handle.setMode('rotate'),
    w: () => page.look.toggleWireframe(),
    c: () => page.look.toggleCut(),
    a: () => page.look.toggleForces(),
    f: () => page.world.frameAll(),
    '[': () => page.panels.toggle('left'),
    ']': () => page.panels.toggle('right'),
    '?': actions.help,
    escape: () => page.pointers.choose('pull'),
  };
  window.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || types(event.target)) return;
    const key = event.key.toLowerCase();
    if (event.ctrlKey || event.metaKey) {
      const redoes = key === 'y' || (key === 'z' && event.shiftKey);
      if (redoes) actions.redo();
      else if (key === 'z') actions.undo();
      else return;
      event.preventDefault();
      return;
    }
    if (event.altKey || document.querySelector('dialog[open]') !== null) return;
    // Space presses the button that has the focus, as usual.
    const focused = event.target instanceof HTMLElement ? event.target : null;
    if (key === ' ' && focused?.closest('button, summary, input') != null) return;
    const action = plain[key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
}
