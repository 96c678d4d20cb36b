/** The lanes of a race: one body for each solver, side by side. */
import * as THREE from 'three';
import type { Frame, Lane } from '../protocol/frame';
import type { Topology } from '../protocol/topology';
import { Surface } from './surface';

/** Besides their labels, lanes differ by colour (Okabe & Ito) and by the dashes of plots. */
export const LANE_COLOURS = [0x56b4e9, 0xe69f00, 0x009e73, 0xcc79a7];

export class Lanes {
  readonly group = new THREE.Group();
  racing = false;
  list: Lane[] = [];
  private topology: Topology | null = null;
  private surfaces: Surface[] = [];
  private readonly spread = new THREE.Vector3();

  setTopology(topology: Topology): void {
    this.topology = topology;
    this.end();
  }

  end(): void {
    for (const s of this.surfaces) {
      s.dispose();
      s.mesh.material.dispose();
    }
    this.surfaces = [];
    this.list = [];
    this.racing = false;
  }

  update(frame: Frame): void {
    if (frame.lanes.length === 0) {
      if (this.racing) this.end();
      return;
    }
    this.list = frame.lanes;
    this.racing = true;
    if (this.topology === null) return;
    if (this.surfaces.length !== frame.lanes.length) this.build(this.topology, frame.lanes.length);
    frame.lanes.forEach((lane, i) => {
      if (lane.positions !== null) this.surfaces[i]!.updatePositions(lane.positions, frame.all);
    });
  }

  private build(topology: Topology, count: number): void {
    this.end();
    this.racing = true;
    const size = new THREE.Box3().setFromArray(topology.rest).getSize(new THREE.Vector3());
    // Side by side along the shorter of the two horizontal sides, the lanes stay closest together.
    const along = size.x <= size.z ? 'x' : 'z';
    this.spread.set(0, 0, 0)[along] = 1.5 * size[along] + 0.15 * size.length();
    for (let i = 0; i < count; i++) {
      const material = new THREE.MeshStandardMaterial({
        roughness: 0.62,
        side: THREE.DoubleSide,
        vertexColors: true,
      });
      const surface = new Surface(topology, material, [LANE_COLOURS[i % LANE_COLOURS.length]!]);
      surface.group.position.copy(this.offset(i, count));
      this.surfaces.push(surface);
      this.group.add(surface.group);
    }
  }

  private offset(i: number, count: number): THREE.Vector3 {
    return this.spread.clone().multiplyScalar(i - (count - 1) / 2);
  }

  extendBox(box: THREE.Box3): void {
    const each = box.clone();
    this.surfaces.forEach((s, i) => {
      const own = new THREE.Box3().setFromArray(s.positions);
      own.translate(this.offset(i, this.surfaces.length));
      if (i === 0) box.copy(own);
      else box.union(own);
    });
    if (this.surfaces.length === 0) box.copy(each);
  }

  /** Where the label of a lane is: above its body. */
  labelPoint(i: number): THREE.Vector3 | null {
    const surface = this.surfaces[i];
    if (surface === undefined) return null;
    const box = new THREE.Box3().setFromArray(surface.positions);
    const top = box.getCenter(new THREE.Vector3());
    top.y = box.max.y;
    return top.add(surface.group.position);
  }
}
