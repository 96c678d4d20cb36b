import { describe, expect, it } from 'vitest';
import style from '../../src/style.css?raw';
import { DARK_LINES, LIGHT_LINES } from '../../src/ui/plot';

/** Relative luminance of #rrggbb [WCAG 2.1]. */
function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const v = parseInt(colour.slice(at, at + 2), 16) / 255;
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

const contrast = (a: string, b: string): number => {
  const [low, high] = [luminance(a), luminance(b)].sort((p, q) => p - q);
  return (high! + 0.05) / (low! + 0.05);
};

/** Plots are drawn on canvases, which the page's contrast checks do not examine. */
describe('the lines of plots', () => {
  const panels = [...style.matchAll(/--panel: (#[0-9a-f]{6});/g)].map((match) => match[1]!);

  it('stand out from the panel, dark and light', () => {
    expect(panels).toHaveLength(2);
    [DARK_LINES, LIGHT_LINES].forEach((lines, i) => {
      for (const line of lines) expect(contrast(line, panels[i]!)).toBeGreaterThan(3);
    });
  });
});
