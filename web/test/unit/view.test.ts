import * as THREE from 'three';
import { describe, expect, it } from 'vitest';
import { Arrows, USUAL } from '../../src/view/arrows';
import { colourTable, textureData } from '../../src/view/colour_scale';
import { faceNeighbours } from '../../src/view/cut';
import { computeNormals } from '../../src/view/normals';
import { pickNear, pickTriangle } from '../../src/view/picking';
import { Stats } from '../../src/view/stats';

describe('the colour scale', () => {
  /** CIE lightness L* of an sRGB colour. */
  const lightness = (r: number, g: number, b: number): number => {
    const linear = (v: number) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    const y = 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
    return y > 0.008856 ? 116 * Math.cbrt(y) - 16 : 903.3 * y;
  };

  it('grows lighter all the way, so that it is read without colour vision', () => {
    const table = colourTable(64);
    let before = -1;
    for (let i = 0; i < 64; i++) {
      const now = lightness(table[3 * i]!, table[3 * i + 1]!, table[3 * i + 2]!);
      expect(now).toBeGreaterThan(before);
      before = now;
    }
    expect(before - lightness(table[0]!, table[1]!, table[2]!)).toBeGreaterThan(60);
  });

  it('as it is drawn, smooth or in bands, grows lighter, and bands stand apart by lightness', () => {
    const lightnessAt = (data: Uint8Array, i: number): number =>
      lightness(data[4 * i]!, data[4 * i + 1]!, data[4 * i + 2]!);
    const smooth = textureData(0);
    const banded = textureData(10);
    let bands = 1;
    for (let i = 1; i < 256; i++) {
      // Between neighbouring entries, the rounding to 8 bits can be as large as the step.
      if (i >= 3) expect(lightnessAt(smooth, i)).toBeGreaterThan(lightnessAt(smooth, i - 3));
      const step = lightnessAt(banded, i) - lightnessAt(banded, i - 1);
      if (step === 0) continue;
      bands++;
      // A difference of 1 is barely visible side by side; separate areas need more.
      expect(step).toBeGreaterThan(4);
    }
    expect(bands).toBe(10);
  });
});

describe('normals', () => {
  it('of a torus are those of its tube', () => {
    const torus = new THREE.TorusGeometry(1, 0.4, 48, 96);
    const positions = new Float32Array(torus.getAttribute('position').array);
    const triangles = new Uint32Array(torus.getIndex()!.array);
    const normals = new Float32Array(positions.length);
    computeNormals(positions, triangles, normals);
    const expected = torus.getAttribute('normal');
    for (let i = 0; i < expected.count; i++) {
      const n = new THREE.Vector3().fromArray(normals, 3 * i).normalize();
      // At the seams a corner has only the triangles of one side, which turn by 0.13: the error is
      // half of it.
      expect(n.dot(new THREE.Vector3().fromBufferAttribute(expected, i))).toBeGreaterThan(0.995);
    }
  });
});

describe('picking', () => {
  const positions = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, -1, 1, 0, -1, 0, 1, -1]);
  const triangles = new Uint32Array([3, 4, 5, 0, 1, 2]);

  it('finds the nearest triangle and of it the nearest vertex', () => {
    const ray = new THREE.Ray(new THREE.Vector3(0.7, 0.1, 5), new THREE.Vector3(0, 0, -1));
    const hit = pickTriangle(ray, positions, triangles);
    expect(hit?.local).toBe(1);
    expect(hit?.distance).toBeCloseTo(5, 12);
  });

  it('finds nothing beside the body, and nothing behind', () => {
    const aside = new THREE.Ray(new THREE.Vector3(2, 2, 5), new THREE.Vector3(0, 0, -1));
    expect(pickTriangle(aside, positions, triangles)).toBeNull();
    const away = new THREE.Ray(new THREE.Vector3(0.2, 0.2, 5), new THREE.Vector3(0, 0, 1));
    expect(pickTriangle(away, positions, triangles)).toBeNull();
  });

  it('near a strand finds the nearest vertex within reach', () => {
    const project = (p: THREE.Vector3) => ({ x: 100 * p.x, y: 100 * p.y, depth: 0 });
    expect(pickNear(positions, project, { x: 97, y: 2 }, 8)?.local).toBe(1);
    expect(pickNear(positions, project, { x: 60, y: 50 }, 8)).toBeNull();
  });
});

describe('arrows of forces', () => {
  const camera = new THREE.PerspectiveCamera(40, 1.5, 0.1, 1000);
  camera.position.set(3, 4, 12);
  camera.lookAt(0, 0, 0);
  camera.updateMatrixWorld();
  const across = new THREE.Vector3(1, 0, 0).applyQuaternion(camera.quaternion);
  const HEIGHT = 800;

  /** The tips of the arrows, and the length of each arrow in pixels. */
  function drawn(
    points: number[],
    vectors: number[],
    touching: number[],
  ): { tip: THREE.Vector3; pixels: number }[] {
    const arrows = new Arrows();
    arrows.update(
      {
        note: '',
        contacts: touching.length / 2,
        scale: 50,
        bodies: [],
        colliders: [],
        pins: [],
        points: new Float32Array(points),
        vectors: new Float32Array(vectors),
        touching: new Uint32Array(touching),
      },
      2,
    );
    arrows.place(camera, HEIGHT);
    const [shafts, , heads] = arrows.group.children as THREE.InstancedMesh[];
    const pixel = (at: THREE.Vector3) => {
      const p = at.clone().project(camera);
      return new THREE.Vector2(p.x * camera.aspect, p.y).multiplyScalar(HEIGHT / 2);
    };
    return Array.from({ length: heads!.count }, (_, i) => {
      const matrix = new THREE.Matrix4();
      shafts!.getMatrixAt(i, matrix);
      const foot = new THREE.Vector3(0, 0, 0).applyMatrix4(matrix);
      heads!.getMatrixAt(i, matrix);
      const tip = new THREE.Vector3(0, 1, 0).applyMatrix4(matrix);
      return { tip, pixels: pixel(tip).distanceTo(pixel(foot)) };
    });
  }
  const along = (force: number): number[] => across.clone().multiplyScalar(force).toArray();

  it('are as long as the legend says, near and far', () => {
    const [near, far] = drawn([2, 3, 8, 0, 0, -40], [...along(50), ...along(25)], [0, 2, 1, 2]);
    expect(near!.pixels).toBeCloseTo(USUAL, 2);
    expect(far!.pixels).toBeCloseTo(USUAL / 2, 2);
  });

  it('point both ways between two bodies, and one way at a collider', () => {
    expect(drawn([0, 0, 0], along(50), [0, 2]).length).toBe(1);
    const [on, back] = drawn([0, 0, 0], along(50), [0, 1]);
    expect(on!.tip.dot(across)).toBeGreaterThan(0);
    expect(back!.tip.clone().add(on!.tip).length()).toBeLessThan(1e-5);
  });

  it('of an impact end, those too short to be seen are left out, and there is room for all', () => {
    const [impact, ...others] = drawn(
      [0, 0, 0, 1, 0, 0],
      [...along(1e6), ...along(0.1)],
      [0, 2, 0, 2],
    );
    expect(impact!.pixels).toBeCloseTo(3 * USUAL, 2);
    expect(others.length).toBe(0);
    const many = Array.from({ length: 500 }, () => along(50)).flat();
    const touching = Array.from({ length: 500 }, () => [0, 1]).flat();
    expect(drawn(new Array(1500).fill(0) as number[], many, touching).length).toBe(1000);
  });

  it('are none where nothing is known', () => {
    const arrows = new Arrows();
    arrows.update(null, 1);
    expect(arrows.count).toBe(0);
  });
});

describe('the neighbours of tets', () => {
  it('of two tets with a common face are one another', () => {
    // The second tet is the first one mirrored in its face 1 2 3.
    const neighbours = faceNeighbours(new Uint32Array([0, 1, 2, 3, 4, 3, 2, 1]));
    expect([...neighbours]).toEqual([-1, -1, 1, -1, -1, -1, 0, -1]);
  });
});

describe('statistics', () => {
  it('are the median of what came last', () => {
    const stats = new Stats();
    for (const ms of [5, 1, 100]) stats.updated(ms);
    expect(stats.script_ms).toBe(5);
    for (let i = 0; i < 120; i++) stats.updated(2);
    expect(stats.script_ms).toBe(2);
    expect(stats.frames).toBe(123);
  });
});
