import { loadEnv, type ProxyOptions } from 'vite';
import { defineConfig } from 'vitest/config';

/**
 * `npm run dev` speaks to a `supple view` that runs beside it. That admits its own name and pages of its
 * own alone: requests bear its Host, and its Origin where they come from the page of the dev server;
 * another page's Origin is left as it is, and refused.
 */
function viewer(port: string): Record<string, ProxyOptions> {
  const target = `http://127.0.0.1:${port}`;
  const to: ProxyOptions = { target, changeOrigin: true };
  const session: ProxyOptions = {
    ...to,
    ws: true,
    configure: (proxy) => {
      proxy.on('proxyReqWs', (out, request) => {
        const { origin, host } = request.headers;
        if (origin === `http://${host}`) out.setHeader('origin', target);
      });
    },
  };
  return { '/session': session, '/engine.json': to, '/scenes': to };
}

export default defineConfig(({ mode }) => {
  const { SUPPLE_PORT = '8420' } = loadEnv(mode, '.', 'SUPPLE_');
  return {
    // Relative addresses: the folder that is built opens from any host, under any path.
    base: './',
    build: {
      target: 'es2022',
      // three.js alone is larger than the limit from which vite warns.
      chunkSizeWarningLimit: 1500,
    },
    worker: { format: 'es' },
    server: { proxy: viewer(SUPPLE_PORT) },
    // Styles are read by tests of colours.
    test: { include: ['test/unit/**/*.test.ts'], css: true },
  };
});
