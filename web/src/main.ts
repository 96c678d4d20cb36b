/** Finds an engine and opens the page with it, or says why it cannot. */
import { App } from './app';
import { chooseEngine } from './engine/choose';
import './style.css';
import { h } from './ui/dom';

try {
  new App(await chooseEngine(new URL(location.href)), document.body);
} catch (fault) {
  const reason = fault instanceof Error ? fault.message : String(fault);
  document.body.replaceChildren(
    h(
      'main',
      { class: 'cannot-start', role: 'alert' },
      h('h1', {}, 'The viewer cannot start here'),
      h('p', {}, reason),
      h('p', {}, 'It needs a browser with WebGL 2, and graphics that the browser lets pages use.'),
    ),
  );
  throw fault;
}
