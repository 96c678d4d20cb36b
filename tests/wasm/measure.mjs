// node tests/wasm/measure.mjs build/release/engine build/release/bin/supple SCRATCH [SCENE ...]
// Time per frame of the page's engine and of the program with each width of vectors, in turn, on one thread: the least
// of five medians. No test.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadEngine } from './engine.mjs';

const [folder, program, scratch, ...names] = process.argv.slice(2);
const scenes = names.length > 0 ? names : ['twisting_bar', 'cloth', 'incompressible_block'];
const source = fileURLToPath(new URL('../../scenes', import.meta.url));
const [frames, rounds] = [100, 5];
const engine = await loadEngine(folder, scratch);

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

function inEngine(name) {
  const simulation = engine.simulate(engine.loadScene(`/scenes/${name}.json`), 1);
  const times = [];
  for (let i = 0; i < frames; ++i) {
    const start = performance.now();
    engine.step(simulation);
    times.push(performance.now() - start);
  }
  engine.module._supple_simulation_destroy(simulation);
  return median(times);
}

function inProgram(name, simd) {
  const out = path.join(scratch, simd);
  const words = ['run', path.join(source, `${name}.json`), '--frames', `${frames}`, '--threads', '1', '-o', out];
  execFileSync(program, words, { stdio: 'pipe', env: { ...process.env, SUPPLE_SIMD: simd } });
  const rows = fs.readFileSync(path.join(out, 'frames.csv'), 'utf8').trim().split('\n').slice(1);
  return median(rows.map((row) => Number(row.split(',').at(-1))));
}

for (const name of scenes) {
  const found = { engine: [], baseline: [], avx2: [], avx512: [] };
  for (let round = 0; round < rounds; ++round) {
    for (const [what, times] of Object.entries(found)) {
      try {
        times.push(what === 'engine' ? inEngine(name) : inProgram(name, what));
      } catch (error) {
        if (what === 'engine') throw error; // else a width that this processor does not have
      }
    }
  }
  const least = (times) => (times.length > 0 ? Math.min(...times).toFixed(2) : '-');
  const texts = Object.entries(found).map(([what, times]) => `${what} ${least(times)}`);
  console.log(`${name}: ms a frame: ${texts.join(', ')}`);
}
