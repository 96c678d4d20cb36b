/**
 * Labels of fields. A field that is not in the table is named by its key: new ones need no entry.
 */
const LABELS: { [key: string]: string } = {
  young: 'Young’s modulus',
  poisson: 'Poisson’s ratio',
  mu: 'Lamé μ',
  lambda: 'Lamé λ',
  step: 'Time step',
  kappa: 'Fibre stiffness',
  bulk: 'Bulk modulus',
  c1: 'C₁',
  c2: 'C₂',
  drag: 'Damping',
  budget_ms: 'Time budget',
  degrees: 'Angle',
  degrees_per_second: 'Turning speed',
  a: 'Axis a',
  min: 'Smallest free stretch',
  max: 'Largest free stretch',
};

/** Names with a special spelling; others follow their key. */
const WRITTEN: { [key: string]: string } = {
  l_bfgs: 'L-BFGS',
  xpbd: 'XPBD',
  pbd: 'PBD',
  bdf2: 'BDF2',
  cg: 'CG',
  arap: 'ARAP',
  stvk: 'St. Venant–Kirchhoff',
  neo_hookean: 'Neo-Hookean',
  stable_neo_hookean: 'Stable Neo-Hookean',
  mooney_rivlin: 'Mooney–Rivlin',
  valanis_landel: 'Valanis–Landel',
  quasi_newton: 'Quasi-Newton',
  gauss_seidel: 'Gauss–Seidel',
  backward_euler: 'Backward Euler',
  forward_euler: 'Forward Euler',
  symplectic_euler: 'Symplectic Euler',
  initial_hessian: 'Initial Hessian',
};

export function humanise(key: string): string {
  const written = WRITTEN[key];
  if (written !== undefined) return written;
  const words = key.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function keysOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The name of a field below a group that gives the rest: /bodies/0/mesh/box/size is "Box size". */
export function labelOf(pointer: string, group: string): string {
  const keys = keysOf(pointer.slice(group.length));
  const last = keys.at(-1) ?? '';
  const isIndex = /^\d+$/.test(last);
  const name = isIndex
    ? `${humanise(keys.at(-2) ?? '')} ${Number(last) + 1}`
    : (LABELS[last] ?? humanise(last));
  const before = keys.slice(0, isIndex ? -2 : -1).filter((k) => !/^\d+$/.test(k));
  if (before.length === 0) return name;
  return `${humanise(before.at(-1)!)}: ${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}

/** The value at a JSON pointer; undefined if there is none. */
export function valueAt(document: unknown, pointer: string): unknown {
  let value: unknown = document;
  for (const key of keysOf(pointer)) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as { [key: string]: unknown })[key];
  }
  return value;
}
