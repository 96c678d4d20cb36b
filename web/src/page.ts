/** What the toolbar, the keys and scripts use of the page. */
import type { Client } from './engine/client';
import type { HandleTool } from './tools/handle';
import type { Pointers } from './tools/pointer';
import type { LookPanel } from './ui/look_panel';
import type { Panels } from './ui/panels';
import type { Stage } from './view/stage';
import type { World } from './view/world';

export type Action =
  | 'playPause'
  | 'step'
  | 'reset'
  | 'squash'
  | 'randomise'
  | 'undo'
  | 'redo'
  | 'copyLink'
  | 'help';

export interface Page {
  readonly client: Client;
  readonly connected: boolean;
  readonly stage: Stage;
  readonly world: World;
  readonly pointers: Pointers;
  readonly handle: HandleTool;
  readonly look: LookPanel;
  readonly panels: Panels;
  readonly recordButton: HTMLButtonElement;
  readonly actions: Readonly<Record<Action, () => void>>;
}
