/** Dark and light: the page's colours are in style.css, those of the 3D view here. */
export interface Theme {
  dark: boolean;
  background: number;
  grid: number;
  gridAxis: number;
  wire: number;
  collider: number;
  pin: number;
  pull: number;
  force: number;
  bodies: number[];
}

// Okabe & Ito, "Color universal design" (2008): distinct for every kind of colour vision.
const BODIES = [0x56b4e9, 0xe69f00, 0x009e73, 0xcc79a7, 0x0072b2, 0xd55e00];

const DARK: Theme = {
  dark: true,
  background: 0x14181d,
  grid: 0x2a323b,
  gridAxis: 0x46525f,
  wire: 0x0b0e11,
  collider: 0x6c7783,
  pin: 0xf0e442,
  pull: 0xffffff,
  force: 0xff4d6a,
  bodies: BODIES,
};
const LIGHT: Theme = {
  dark: false,
  background: 0xeef1f4,
  grid: 0xd0d6dc,
  gridAxis: 0xa3adb8,
  wire: 0x1d2630,
  collider: 0x9aa5b1,
  pin: 0x8a4b00,
  pull: 0x10161c,
  force: 0xb80034,
  bodies: BODIES,
};

export type ThemeChoice = 'auto' | 'dark' | 'light';
const KEY = 'supple.theme';
const prefersDark = (): MediaQueryList => window.matchMedia('(prefers-color-scheme: dark)');

let chosen: ThemeChoice | null = null;

export function themeChoice(): ThemeChoice {
  if (chosen !== null) return chosen;
  try {
    const stored = localStorage.getItem(KEY);
    if (stored === 'dark' || stored === 'light') return stored;
  } catch {
    // A page without storage follows the system.
  }
  return 'auto';
}

export function currentTheme(): Theme {
  const choice = themeChoice();
  const dark = choice === 'auto' ? prefersDark().matches : choice === 'dark';
  return dark ? DARK : LIGHT;
}

function show(): Theme {
  const theme = currentTheme();
  document.documentElement.dataset['theme'] = theme.dark ? 'dark' : 'light';
  return theme;
}

export function chooseTheme(choice: ThemeChoice): void {
  chosen = choice;
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // As above: the choice lasts until the page is closed.
  }
  for (const listener of listeners) listener(show());
}

const listeners: ((theme: Theme) => void)[] = [];

/** Calls the listener at once and whenever the theme changes. */
export function onTheme(listener: (theme: Theme) => void): void {
  if (listeners.length === 0) {
    prefersDark().addEventListener('change', () => {
      for (const each of listeners) each(show());
    });
  }
  listeners.push(listener);
  listener(show());
}
