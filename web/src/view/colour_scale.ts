/**
 * A colour scale for numbers, from dark violet over blue and green to bright yellow. It is computed
 * in OKLab, where equal distances look equally large. Lightness grows steadily, so the scale can be
 * read without colour vision and in print, and the steps along it have equal length. The common
 * kinds of colour blindness preserve the axis from blue to yellow. OKLab: B. Ottosson, "A
 * perceptual color space for image processing" (2020).
 */
export type Rgb = [number, number, number];

const DARKEST = 0.27;
const BRIGHTEST = 0.93;
const FIRST_HUE = 295; // degrees
const LAST_HUE = 102;
const CHROMA = 0.135;

function toLinear(L: number, a: number, b: number): Rgb {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

const inGamut = (c: Rgb): boolean => c.every((v) => v >= 0 && v <= 1);
const encode = (v: number): number => (v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055);

/** OKLab of the path at t in [0, 1]; the chroma is as large as the screen allows, up to CHROMA. */
function path(t: number): Rgb {
  const L = DARKEST + (BRIGHTEST - DARKEST) * t;
  const hue = ((FIRST_HUE + (LAST_HUE - FIRST_HUE) * t) * Math.PI) / 180;
  let low = 0;
  let high = CHROMA;
  for (let i = 0; i < 24; i++) {
    const middle = (low + high) / 2;
    if (inGamut(toLinear(L, middle * Math.cos(hue), middle * Math.sin(hue)))) low = middle;
    else high = middle;
  }
  return [L, low * Math.cos(hue), low * Math.sin(hue)];
}

/** `size` colours at equal distances in OKLab, sRGB in [0, 255]. */
export function colourTable(size: number): Uint8Array {
  const fine = 1024;
  const points = Array.from({ length: fine + 1 }, (_, i) => path(i / fine));
  const length = [0];
  for (let i = 1; i <= fine; i++) {
    const [p, q] = [points[i - 1]!, points[i]!];
    length.push(length[i - 1]! + Math.hypot(q[0] - p[0], q[1] - p[1], q[2] - p[2]));
  }
  const table = new Uint8Array(3 * size);
  let j = 0;
  for (let i = 0; i < size; i++) {
    const wanted = (length[fine]! * i) / (size - 1);
    while (j < fine && length[j]! < wanted) j++;
    const [L, a, b] = points[j]!;
    const linear = toLinear(L, a, b);
    for (let k = 0; k < 3; k++) {
      table[3 * i + k] = Math.round(255 * encode(Math.min(1, Math.max(0, linear[k]!))));
    }
  }
  return table;
}

/** The scale in `bands` equal steps if bands > 0, otherwise smooth. 256 x RGBA. */
export function textureData(bands: number): Uint8Array {
  const table = colourTable(256);
  const data = new Uint8Array(4 * 256);
  for (let i = 0; i < 256; i++) {
    const band = Math.min(bands - 1, Math.floor((i * bands) / 256));
    const at = bands > 0 ? Math.round((255 * (band + 0.5)) / bands) : i;
    data.set(table.subarray(3 * at, 3 * at + 3), 4 * i);
    data[4 * i + 3] = 255;
  }
  return data;
}
