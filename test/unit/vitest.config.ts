import { defineConfig } from 'vitest/config';
import { byMode } from '../setup/tags.ts';

// Tests that run the functions' code in their own process.
export default defineConfig(({ mode }) => ({
  test: {
    ...byMode(mode),
    name: 'unit',
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    setupFiles: '../setup/own-fakes.ts',
    globalSetup: '../setup/surroundings.ts',
    // Each is short by itself; beside much else it may take many times as long.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    maxWorkers: 3,
    // With room for what is new, less is copied: a twelfth of the time.
    execArgv: ['--max-semi-space-size=64'],
    // Loading what they share takes longer than most of them.
    isolate: false,
  },
}));
