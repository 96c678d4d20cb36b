/** What serves the page: the native program, or an ordinary static host. */
import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';

const START_MS = 30_000;

/** `supple view` on a free port. stop() ends it by its id and waits until it is gone. */
export async function startNative(program, page, scene = 'twisting_bar') {
  const options = ['view', scene, '--port', '0', '--no-browser', '--web', page];
  const child = spawn(program, options, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  const gone = new Promise((done) => child.once('exit', done));
  const url = await new Promise((done, fail) => {
    const timer = setTimeout(() => fail(new Error(`supple view did not start: ${said}`)), START_MS);
    const hear = (bytes) => {
      said += bytes;
      const found = /http:\/\/\S+/.exec(said);
      if (found === null) return;
      clearTimeout(timer);
      done(found[0]);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', () => fail(new Error(`supple view ended: ${said}`)));
  }).catch((error) => {
    child.kill('SIGKILL');
    throw error;
  });
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
      await gone;
      clearTimeout(timer);
    },
  };
}

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.png': 'image/png',
  '.wasm': 'application/wasm',
};

/** Browsers require these headers before they allow threads. */
export const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/** A static host that serves the page below a path, as project pages do; engine/ is the engine's folder. */
export async function startStatic(page, engine, headers = {}, below = '/some/where/') {
  const server = createServer(async (request, response) => {
    const place = decodeURIComponent(new URL(request.url, 'http://host').pathname);
    const inside = place.startsWith(below) ? path.posix.normalize(place.slice(below.length)) : '..';
    let file = path.join(page, inside === '.' || inside === '' ? 'index.html' : inside);
    if (inside.startsWith('engine/')) file = path.join(engine, inside.slice('engine/'.length));
    const found = inside.startsWith('..') ? null : await stat(file).catch(() => null);
    if (found === null || !found.isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      ...headers,
      'Content-Type': TYPES[path.extname(file)] ?? 'application/octet-stream',
      'Content-Length': found.size,
    });
    createReadStream(file).pipe(response);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}${below}`,
    stop: () =>
      new Promise((done) => {
        server.closeAllConnections?.();
        server.close(done);
      }),
  };
}
