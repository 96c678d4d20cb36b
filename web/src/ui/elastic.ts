/** The two ways to give the stiffness of an isotropic material: (E, nu) and (mu, lambda). */

export interface Young {
  young: number;
  poisson: number;
}
export interface Lame {
  mu: number;
  lambda: number;
}

/** mu = E / (2 (1 + nu)), lambda = E nu / ((1 + nu) (1 - 2 nu)). */
export function lameOf({ young, poisson }: Young): Lame {
  return {
    mu: young / (2 * (1 + poisson)),
    lambda: (young * poisson) / ((1 + poisson) * (1 - 2 * poisson)),
  };
}

/** E = mu (3 lambda + 2 mu) / (lambda + mu), nu = lambda / (2 (lambda + mu)). */
export function youngOf({ mu, lambda }: Lame): Young {
  const sum = lambda + mu;
  return { young: (mu * (3 * lambda + 2 * mu)) / sum, poisson: lambda / (2 * sum) };
}
