/** Keys that work wherever the focus is, except in text fields. */
import type { App } from '../app';

function types(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement)
    return !['range', 'checkbox', 'file'].includes(target.type);
  return target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
}

export function listenToKeys(app: App): void {
  const { actions } = app;
  const plain: { [key: string]: () => void } = {
    ' ': actions.playPause,
    s: actions.step,
    r: actions.reset,
    '1': () => app.pointers.choose('pull'),
    '2': () => app.pointers.choose('pin'),
    '3': () => app.pointers.choose('box'),
    '4': () => app.pointers.choose('handle'),
    g: () => app.handle.setMode('translate'),
    t: () => app.handle.setMode('rotate'),
    w: () => app.look.toggleWireframe(),
    c: () => app.look.toggleCut(),
    a: () => app.look.toggleForces(),
    f: () => app.world.frameAll(),
    '[': () => app.togglePanel('left'),
    ']': () => app.togglePanel('right'),
    '?': actions.help,
    escape: () => app.pointers.choose('pull'),
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
