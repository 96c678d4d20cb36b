/** Finds the engine that there is and opens the page on it. */
import { App } from './app';
import { chooseEngine } from './engine/choose';
import './style.css';

const engine = await chooseEngine(new URL(location.href));
new App(engine, document.body);
