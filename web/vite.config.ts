import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Relative addresses: the folder that is built opens from any host, under any path.
  base: './',
  build: {
    target: 'es2022',
    // three.js alone is larger than the limit from which vite warns.
    chunkSizeWarningLimit: 1500,
  },
  worker: { format: 'es' },
  server: {
    // `npm run dev` speaks to a `supple view` that runs beside it.
    proxy: {
      '/session': { target: 'ws://127.0.0.1:8420', ws: true },
      '/scenes': 'http://127.0.0.1:8420',
    },
  },
  test: { include: ['test/unit/**/*.test.ts'] },
});
