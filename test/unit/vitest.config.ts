import { defineConfig } from 'vitest/config';

// Tests that run the functions' code in their own process.
export default defineConfig({
  test: {
    name: 'unit',
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    setupFiles: '../setup/own-fakes.ts',
    globalSetup: '../setup/surroundings.ts',
    testTimeout: 10_000,
    hookTimeout: 60_000,
    maxWorkers: 3,
    // Loading what they share takes longer than most of them.
    isolate: false,
  },
});
