/**
 * Converts the position of a slider, 0 to 1, to a number and back. Numbers that span decades (a
 * modulus, a stiffness) get a logarithmic scale, with zero at its left end if zero is allowed.
 */
import type { Field } from '../protocol/scene';

export interface SliderScale {
  low: number;
  high: number;
  toValue(place: number): number;
  toPlace(value: number): number;
}

const clamp = (t: number): number => Math.min(1, Math.max(0, t));
/**
 * Slider values are rounded to this many significant digits: a hand cannot set them more finely.
 */
const DIGITS = 3;
const round = (value: number): number => Number(value.toPrecision(DIGITS));

function linear(low: number, high: number, whole: boolean): SliderScale {
  // Rounded to a step of the range, not to digits of the value: -0.003 is zero here.
  const step = whole ? 1 : 10 ** (Math.floor(Math.log10(high - low)) - 2);
  return {
    low,
    high,
    toValue: (place) => {
      const value = Math.round((low + clamp(place) * (high - low)) / step) * step;
      return Math.min(high, Math.max(low, Number(value.toPrecision(12))));
    },
    toPlace: (value) => clamp((value - low) / (high - low)),
  };
}

function logarithmic(low: number, high: number, withZero: boolean, whole: boolean): SliderScale {
  // The left 4 % of the slider mean zero.
  const start = withZero ? 0.04 : 0;
  const [a, b] = [Math.log(low), Math.log(high)];
  const digits = (value: number): number => (whole ? Math.round(value) : round(value));
  return {
    low: withZero ? 0 : low,
    high,
    toValue: (place) => {
      const t = clamp(place);
      if (t < start) return 0;
      return digits(Math.exp(a + ((t - start) / (1 - start)) * (b - a)));
    },
    toPlace: (value) => {
      if (value <= 0) return 0;
      return clamp(start + ((Math.log(value) - a) / (b - a)) * (1 - start));
    },
  };
}

/** A point slightly inside a bound that is not part of the range. */
function inner(bound: number, included: boolean, width: number, sign: number): number {
  return included ? bound : bound + sign * 0.01 * width;
}

/** `value`: the current value, which determines the scale of an open range. */
export function scaleFor(field: Field, value: number): SliderScale {
  const whole = field.type === 'integer';
  const usual = typeof field.default === 'number' ? field.default : 0;
  const size = Math.max(Math.abs(value), Math.abs(usual));
  // Moduli whose range depends on other moduli come without a range: none is below zero.
  const low = field.low ?? (field.unit === 'Pa' ? 0 : null);
  const { high } = field;
  if (low !== null && high !== null) {
    const width = high - low;
    if (low >= 0 && high > 0 && (low > 0 ? high / low : high) > 200) {
      const middle = usual > 0 ? usual : value > 0 ? value : Math.sqrt(high);
      const top = Math.min(high, Math.max(1000 * middle, 10 * size));
      const bottom = low > 0 ? low : whole ? 1 : Math.min(middle / 1000, top / 1e6);
      return logarithmic(bottom, top, low === 0 && field.lowIncluded, whole);
    }
    return linear(
      inner(low, field.lowIncluded, width, 1),
      inner(high, field.highIncluded, width, -1),
      whole,
    );
  }
  if (low !== null && low >= 0) {
    if (low > 0 && whole) return logarithmic(low, Math.max(200 * low, 4 * size), false, true);
    const middle = size > 0 ? size : 1;
    if (whole) return logarithmic(1, Math.max(100, 4 * size), field.lowIncluded, true);
    const bottom = Math.max(low, middle / 1000);
    return logarithmic(bottom, middle * 1000, low === 0 && field.lowIncluded, false);
  }
  const reach = size > 0 ? 3 * size : 1;
  return linear(low ?? value - reach, high ?? value + reach, whole);
}
