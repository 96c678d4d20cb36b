/** Everything that is drawn of a session: bodies, colliders, pins, pulls, lanes of a race. */
import * as THREE from 'three';
import type { Client } from '../engine/client';
import type { Frame, Grab } from '../protocol/frame';
import type { Topology } from '../protocol/topology';
import { onTheme, type Theme } from '../ui/theme';
import { Arrows } from './arrows';
import { Colliders } from './colliders';
import { textureData } from './colour_scale';
import { Cut } from './cut';
import { Lanes } from './lanes';
import { Pins } from './pins';
import { pickNear, pickTriangle, vertexAt, type Hit } from './picking';
import { Stats } from './stats';
import { Surface } from './surface';
import type { Stage } from './stage';

/** True if a body that replaces another is visible without moving the view. */
function staysInView(before: Topology, now: Topology): boolean {
  if (before.numVertices !== now.numVertices) return false;
  const boxes = [before, now].map((t) => new THREE.Box3().setFromArray(t.rest));
  const [old, size] = boxes.map((box) => box.getSize(new THREE.Vector3()).length());
  const [from, to] = boxes.map((box) => box.getCenter(new THREE.Vector3()));
  return size! > 0.5 * old! && size! < 2 * old! && from!.distanceTo(to!) < 0.5 * old!;
}

export class World {
  surface: Surface | null = null;
  readonly stats = new Stats();
  readonly colliders = new Colliders();
  readonly pins = new Pins();
  readonly lanes = new Lanes();
  readonly arrows = new Arrows();
  readonly cut: Cut;
  /** The frame whose positions are now in the buffers. */
  shown: Frame | null = null;
  private readonly listeners: ((frame: Frame) => void)[] = [];

  private readonly material = new THREE.MeshStandardMaterial({
    roughness: 0.62,
    metalness: 0,
    side: THREE.DoubleSide,
    vertexColors: true,
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
  });
  private readonly wireMaterial = new THREE.MeshBasicMaterial({
    wireframe: true,
    transparent: true,
    opacity: 0.55,
  });
  private readonly scale = new THREE.DataTexture(textureData(0), 256, 1);
  private wire: THREE.Mesh | null = null;
  private wireOn = false;
  private coloured = false;
  private readonly pulls: THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial>;
  private readonly pullEnds: THREE.Points<THREE.BufferGeometry, THREE.PointsMaterial>;
  /** Where this page's pulls lead, before the engine has confirmed them. */
  ownPulls = new Map<number, { vertex: number; to: THREE.Vector3 }>();
  private theme: Theme | null = null;
  private pending: Frame | null = null;
  private framed = false;
  private wantsFraming = true;
  private readonly box = new THREE.Box3();

  constructor(
    readonly stage: Stage,
    client: Client,
  ) {
    this.scale.colorSpace = THREE.SRGBColorSpace;
    this.scale.magFilter = THREE.LinearFilter;
    this.scale.minFilter = THREE.LinearFilter;
    this.scale.needsUpdate = true;
    this.cut = new Cut(this.material, this.wireMaterial);
    const places = new THREE.BufferAttribute(new Float32Array(6 * 32), 3);
    places.setUsage(THREE.DynamicDrawUsage);
    const lines = new THREE.BufferGeometry().setAttribute('position', places);
    lines.setDrawRange(0, 0);
    this.pulls = new THREE.LineSegments(
      lines,
      new THREE.LineBasicMaterial({ depthTest: false, transparent: true }),
    );
    this.pullEnds = new THREE.Points(
      lines,
      new THREE.PointsMaterial({
        size: 9,
        sizeAttenuation: false,
        depthTest: false,
        transparent: true,
      }),
    );
    for (const object of [this.pulls, this.pullEnds]) {
      object.frustumCulled = false;
      object.renderOrder = 10;
    }
    stage.scene.add(
      this.colliders.group,
      this.pins.object,
      this.lanes.group,
      this.cut.group,
      this.arrows.group,
      this.pulls,
      this.pullEnds,
    );
    onTheme((theme) => this.setTheme(theme));
    client.on('topology', (topology) => this.build(topology));
    client.on('frame', (frame) => {
      // Of several frames between two drawings only the last one is drawn. But every frame must be
      // noted: lists of pins come only in frames after a change.
      this.pins.note(frame);
      this.pending = frame;
    });
    client.on('scene', () => {
      if (!this.framed) this.wantsFraming = true;
    });
    stage.scene.onBeforeRender = () => this.arrows.place(stage.camera, stage.size.height);
    stage.beforeDraw = () => this.takePending();
    stage.afterDraw = (now, ms) => this.stats.drawn(now, ms);
  }

  /** Calls the listener whenever another frame is in the buffers. */
  onShown(listener: (frame: Frame) => void): void {
    this.listeners.push(listener);
  }

  private setTheme(theme: Theme): void {
    this.theme = theme;
    this.stage.setTheme(theme);
    this.wireMaterial.color.setHex(theme.wire);
    this.colliders.setColour(theme.collider);
    this.pins.setColour(theme.pin);
    this.arrows.setColour(theme.force);
    this.pulls.material.color.setHex(theme.pull);
    this.pullEnds.material.color.setHex(theme.pull);
    this.stage.redraw();
  }

  private build(topology: Topology): void {
    const wasThere = this.surface !== null && staysInView(this.surface.topology, topology);
    this.surface?.dispose();
    this.wire?.removeFromParent();
    this.pending = null;
    this.shown = null;
    const colours = this.theme?.bodies ?? [0x56b4e9];
    this.surface = new Surface(topology, this.material, colours);
    this.surface.followMaterial();
    this.stage.scene.add(this.surface.group);
    this.wire = new THREE.Mesh(this.surface.mesh.geometry, this.wireMaterial);
    this.wire.frustumCulled = false;
    this.stage.scene.add(this.wire);
    this.cut.setSurface(this.surface, colours);
    this.lanes.setTopology(topology);
    this.colliders.setTopology(topology);
    this.pins.clear();
    this.arrows.update(null, 0);
    this.ownPulls.clear();
    if (!wasThere) this.wantsFraming = true;
    this.showParts();
    this.stage.redraw();
  }

  private takePending(): void {
    const frame = this.pending;
    if (frame === null || this.surface === null) return;
    this.pending = null;
    const start = performance.now();
    this.surface.update(frame);
    this.cut.update(frame);
    this.lanes.update(frame);
    this.setColoured(frame.colours !== null && frame.colour !== null);
    this.pins.update(this.surface, (vertex) => this.cut.shows(vertex));
    this.updatePulls(frame.grabs);
    this.arrows.update(frame.forces, this.surface.topology.bodies.length);
    this.colliders.update(frame.colliders, this.span());
    this.showParts();
    this.shown = frame;
    if (this.wantsFraming) this.frameAll();
    this.stats.updated(performance.now() - start);
    this.stage.redraw();
    for (const listener of this.listeners) listener(frame);
  }

  private span(): number {
    const box = new THREE.Box3().setFromArray(this.surface?.topology.rest ?? [0, 0, 0]);
    return Math.max(1e-3, box.getSize(new THREE.Vector3()).length() / 2);
  }

  /** Shows all bodies and the ground below them. */
  frameAll(direction?: THREE.Vector3): void {
    if (this.surface === null) return;
    this.wantsFraming = false;
    this.box.setFromArray(this.surface.positions);
    this.lanes.extendBox(this.box);
    if (!this.lanes.racing) this.colliders.extendBox(this.box);
    if (this.box.isEmpty()) return;
    const first = !this.framed;
    this.framed = true;
    const span = this.span();
    const ground = this.colliders.ground ?? this.box.min.y - 0.35 * span;
    if (this.theme !== null) this.stage.setGround(ground, span, this.theme);
    if (this.colliders.ground !== null) this.box.expandByPoint(this.groundPoint(ground));
    this.stage.frameBox(
      this.box,
      direction ?? (first ? new THREE.Vector3(0.55, 0.38, 1) : undefined),
    );
  }

  private groundPoint(height: number): THREE.Vector3 {
    const center = this.box.getCenter(new THREE.Vector3());
    // A body high above its ground is not shown tiny just to include the ground.
    const drop = Math.min(this.box.min.y - height, this.box.getSize(center.clone()).length());
    return new THREE.Vector3(center.x, this.box.min.y - Math.max(0, drop), center.z);
  }

  setWireframe(on: boolean): void {
    this.wireOn = on;
    this.showParts();
    this.stage.redraw();
  }

  get wireframe(): boolean {
    return this.wireOn;
  }

  private showParts(): void {
    if (this.surface === null) return;
    const racing = this.lanes.racing;
    this.surface.group.visible = !racing;
    this.surface.mesh.visible = !this.cut.drawn;
    if (this.wire !== null) this.wire.visible = this.wireOn && !racing && !this.cut.drawn;
    this.cut.setWireframe(this.wireOn);
    this.lanes.group.visible = racing;
    this.pins.object.visible = !racing && this.pins.wanted;
    this.arrows.group.visible = !racing && this.arrows.wanted;
    this.cut.group.visible = this.cut.enabled && !racing;
  }

  refresh(): void {
    if (this.shown !== null && this.pending === null) this.pending = this.shown;
    this.stage.redraw();
  }

  private setColoured(on: boolean): void {
    if (on === this.coloured) return;
    this.coloured = on;
    this.material.map = on ? this.scale : null;
    this.material.vertexColors = !on;
    this.material.needsUpdate = true;
    this.cut.followMaterial();
    this.surface?.followMaterial();
  }

  setBands(bands: number): void {
    (this.scale.image.data as Uint8Array).set(textureData(bands));
    this.scale.magFilter = bands > 0 ? THREE.NearestFilter : THREE.LinearFilter;
    this.scale.needsUpdate = true;
    this.stage.redraw();
  }

  private updatePulls(grabs: Grab[]): void {
    const geometry = this.pulls.geometry;
    const attribute = geometry.getAttribute('position') as THREE.BufferAttribute;
    let n = 0;
    const add = (at: THREE.Vector3, to: THREE.Vector3): void => {
      if (n + 2 > attribute.count) return;
      attribute.setXYZ(n++, at.x, at.y, at.z);
      attribute.setXYZ(n++, to.x, to.y, to.z);
    };
    for (const grab of grabs) {
      const own = this.ownPulls.get(grab.id);
      add(new THREE.Vector3(...grab.at), own?.to ?? new THREE.Vector3(...grab.to));
    }
    for (const [id, own] of this.ownPulls) {
      if (grabs.some((g) => g.id === id)) continue;
      const at = this.position(own.vertex);
      if (at !== null) add(at, own.to);
    }
    attribute.needsUpdate = true;
    geometry.setDrawRange(0, n);
  }

  redrawPulls(): void {
    this.updatePulls(this.shown?.grabs ?? []);
    this.stage.redraw();
  }

  /** The current position of a vertex of the model; null if frames do not have it. */
  position(vertex: number): THREE.Vector3 | null {
    if (this.surface === null) return null;
    const local = this.surface.localOf[vertex] ?? -1;
    if (local >= 0) return vertexAt(this.surface.positions, local);
    if (this.shown?.all === true && 3 * vertex + 2 < this.shown.positions.length) {
      return vertexAt(this.shown.positions, vertex);
    }
    return null;
  }

  /** The vertex (of the model) under a point of the viewport, or within `near` pixels of it. */
  pick(x: number, y: number, near = 8): { vertex: number; point: THREE.Vector3 } | null {
    if (this.surface === null || this.lanes.racing) return null;
    const { positions, triangles, topology } = this.surface;
    const project = (p: THREE.Vector3) => this.stage.project(p);
    const hit: Hit | null =
      pickTriangle(this.stage.ray(x, y), positions, triangles) ??
      pickNear(positions, project, { x, y }, near);
    if (hit === null) return null;
    return { vertex: topology.surface[hit.local]!, point: vertexAt(positions, hit.local) };
  }

  /** The surface vertices that are drawn inside a rectangle of the viewport. */
  pickBox(x0: number, y0: number, x1: number, y1: number): number[] {
    const found: number[] = [];
    if (this.surface === null) return found;
    const { positions, topology } = this.surface;
    const p = new THREE.Vector3();
    for (let i = 0; i < topology.surface.length; i++) {
      const s = this.stage.project(vertexAt(positions, i, p));
      if (s.depth < 1 && s.x >= x0 && s.x <= x1 && s.y >= y0 && s.y <= y1) {
        found.push(topology.surface[i]!);
      }
    }
    return found;
  }
}
