import { defineConfig } from 'vitest/config';

// The runner's own tests, on a small app of their own.
export default defineConfig(({ mode }) => ({
  test: {
    tags: [{ name: 'long', description: 'Takes long for what it adds to the others.' }],
    ...(mode === 'quick' && { tagsFilter: ['!long'] }),
    name: 'runner',
    root: import.meta.dirname,
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/setup.ts',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 3,
    // Loading what they share takes longer than most of them.
    isolate: false,
    // Node.js loads TypeScript by itself, with less work than Vite has with it.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    sequence: { groupOrder: 0 },
  },
}));
