/** Camera, light, ground and the drawing loop, which draws only if something has changed. */
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { Theme } from '../ui/theme';

export interface ScreenPoint {
  x: number;
  y: number;
  depth: number;
}

/** True if the processor draws: shadows would then cost more than everything else. */
function drawsInSoftware(renderer: THREE.WebGLRenderer): boolean {
  const gl = renderer.getContext();
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name: unknown = info === null ? '' : gl.getParameter(info.UNMASKED_RENDERER_WEBGL);
  return typeof name === 'string' && /swiftshader|llvmpipe|software/i.test(name);
}

export class Stage {
  readonly renderer: THREE.WebGLRenderer;
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  readonly software: boolean;
  readonly element = document.createElement('div');
  /** Called before a frame is drawn, in the browser's animation loop. */
  beforeDraw: (now: number) => void = () => undefined;
  afterDraw: (now: number, ms: number) => void = () => undefined;
  private readonly key = new THREE.DirectionalLight(0xffffff, 2.2);
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0x8a8f98, 1.5);
  private readonly fog = new THREE.Fog(0);
  private grid: THREE.GridHelper | null = null;
  private readonly shadowPlane: THREE.Mesh<THREE.PlaneGeometry, THREE.ShadowMaterial>;
  private dirty = true;
  private width = 1;
  private height = 1;
  private groundHeight = 0;
  private span = 4;

  constructor() {
    this.renderer = new THREE.WebGLRenderer({
      antialias: true,
      powerPreference: 'high-performance',
    });
    this.software = drawsInSoftware(this.renderer);
    this.renderer.shadowMap.enabled = !this.software;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    const canvas = this.renderer.domElement;
    canvas.tabIndex = 0;
    canvas.setAttribute('role', 'application');
    canvas.setAttribute(
      'aria-label',
      'The body. Drag it to pull; drag beside it to turn the view; arrow keys turn, plus and minus zoom.',
    );
    this.element.className = 'stage';
    this.element.append(canvas);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener('change', () => this.redraw());
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(1024, 1024);
    this.key.shadow.bias = -0.0005;
    this.key.shadow.normalBias = 0.02;
    this.shadowPlane = new THREE.Mesh(
      new THREE.PlaneGeometry(1, 1),
      new THREE.ShadowMaterial({ opacity: 0.22 }),
    );
    this.shadowPlane.rotation.x = -Math.PI / 2;
    this.shadowPlane.receiveShadow = true;
    this.scene.fog = this.fog;
    this.placeFog();
    this.scene.add(this.sky, this.key, this.key.target, this.shadowPlane);
    canvas.addEventListener('keydown', (event) => this.turnByKeys(event));
    new ResizeObserver(() => this.resize()).observe(this.element);
    requestAnimationFrame((now) => this.loop(now));
  }

  redraw(): void {
    this.dirty = true;
  }

  private loop(now: number): void {
    requestAnimationFrame((next) => this.loop(next));
    this.beforeDraw(now);
    if (!this.dirty) return;
    this.dirty = false;
    const start = performance.now();
    this.renderer.render(this.scene, this.camera);
    this.afterDraw(now, performance.now() - start);
  }

  private resize(): void {
    const box = this.element.getBoundingClientRect();
    this.width = Math.max(1, Math.round(box.width));
    this.height = Math.max(1, Math.round(box.height));
    // If the processor draws, one pixel per CSS pixel is enough.
    this.renderer.setPixelRatio(this.software ? 1 : Math.min(2, window.devicePixelRatio));
    this.renderer.setSize(this.width, this.height);
    this.camera.aspect = this.width / this.height;
    this.camera.updateProjectionMatrix();
    this.redraw();
  }

  /** Fits a box of the world into the view, from the current direction. */
  frameBox(box: THREE.Box3, direction?: THREE.Vector3): void {
    if (box.isEmpty()) return;
    const sphere = box.getBoundingSphere(new THREE.Sphere());
    const radius = Math.max(sphere.radius, 1e-3);
    const vertical = (this.camera.fov * Math.PI) / 360;
    const half = Math.min(vertical, Math.atan(Math.tan(vertical) * this.camera.aspect));
    const away = direction?.clone() ?? this.camera.position.clone().sub(this.controls.target);
    if (away.lengthSq() === 0) away.set(0.6, 0.45, 1);
    away.setLength((1.08 * radius) / Math.sin(half));
    this.controls.target.copy(sphere.center);
    this.camera.position.copy(sphere.center).add(away);
    this.camera.near = radius / 200;
    this.camera.far = radius * 200;
    this.camera.updateProjectionMatrix();
    this.controls.minDistance = radius / 20;
    this.controls.maxDistance = radius * 40;
    this.controls.update();
    this.span = radius;
    this.placeLight(sphere.center, radius);
    this.placeFog();
    this.redraw();
  }

  private placeLight(center: THREE.Vector3, radius: number): void {
    this.key.target.position.copy(center);
    this.key.position.copy(center).add(new THREE.Vector3(0.5, 1.4, 0.8).multiplyScalar(4 * radius));
    const shadow = this.key.shadow.camera;
    shadow.left = shadow.bottom = -2.2 * radius;
    shadow.right = shadow.top = 2.2 * radius;
    shadow.near = radius;
    shadow.far = 14 * radius;
    shadow.updateProjectionMatrix();
  }

  /**
   * The grid fades into the fog. The body never does, however large it is and wherever the camera
   * goes.
   */
  private placeFog(): void {
    this.fog.near = 12 * this.span;
    this.fog.far = 40 * this.span;
  }

  /** A grid at a height; the distance of its lines is a round number. */
  setGround(height: number, span: number, theme: Theme): void {
    this.grid?.removeFromParent();
    this.grid?.dispose();
    this.groundHeight = height;
    const step = 10 ** Math.floor(Math.log10(Math.max(span, 1e-6) / 2));
    const cells = Math.min(80, 2 * Math.ceil((6 * span) / (2 * step)));
    this.grid = new THREE.GridHelper(cells * step, cells, theme.gridAxis, theme.grid);
    this.grid.position.y = height;
    const material = this.grid.material as THREE.LineBasicMaterial;
    material.transparent = true;
    material.opacity = 0.7;
    material.depthWrite = false;
    this.scene.add(this.grid);
    this.shadowPlane.scale.set(cells * step, cells * step, 1);
    this.shadowPlane.position.y = height - 1e-3 * span;
    this.shadowPlane.visible = this.renderer.shadowMap.enabled;
    this.redraw();
  }

  setGroundVisible(visible: boolean): void {
    if (this.grid !== null) this.grid.visible = visible;
    this.redraw();
  }

  setTheme(theme: Theme): void {
    this.renderer.setClearColor(theme.background);
    this.fog.color.setHex(theme.background);
    this.setGround(this.groundHeight, this.span, theme);
  }

  get size(): { width: number; height: number } {
    return { width: this.width, height: this.height };
  }

  private readonly projected = new THREE.Vector3();

  /** Pixels of the element from its upper left corner; depth in [-1, 1] if visible. */
  project(point: THREE.Vector3): ScreenPoint {
    const p = this.projected.copy(point).project(this.camera);
    return { x: ((p.x + 1) / 2) * this.width, y: ((1 - p.y) / 2) * this.height, depth: p.z };
  }

  /** A point of the element, in pixels, in three.js' coordinates: from -1 to 1, upwards. */
  normalised(x: number, y: number): THREE.Vector2 {
    return new THREE.Vector2((2 * x) / this.width - 1, 1 - (2 * y) / this.height);
  }

  /** The ray through a point of the element, in pixels. */
  ray(x: number, y: number): THREE.Ray {
    const caster = new THREE.Raycaster();
    caster.setFromCamera(this.normalised(x, y), this.camera);
    return caster.ray;
  }

  private turnByKeys(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const away = this.camera.position.clone().sub(this.controls.target);
    const spherical = new THREE.Spherical().setFromVector3(away);
    const turn = Math.PI / 24;
    switch (event.key) {
      case 'ArrowLeft':
        spherical.theta -= turn;
        break;
      case 'ArrowRight':
        spherical.theta += turn;
        break;
      case 'ArrowUp':
        spherical.phi -= turn;
        break;
      case 'ArrowDown':
        spherical.phi += turn;
        break;
      case '+':
      case '=':
        spherical.radius *= 0.9;
        break;
      case '-':
        spherical.radius /= 0.9;
        break;
      default:
        return;
    }
    event.preventDefault();
    spherical.makeSafe();
    this.camera.position.copy(this.controls.target).add(away.setFromSpherical(spherical));
    this.controls.update();
    this.redraw();
  }
}
