import { defineConfig } from 'vitest/config';
import { byMode, ofEachTest } from '../setup/tags.ts';

// Tests that run the functions' code in their own process.
export default defineConfig(({ mode }) => ({
  test: {
    ...byMode(mode),
    ...ofEachTest(mode),
    name: 'unit',
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    setupFiles: '../setup/own-fakes.ts',
    globalSetup: '../setup/surroundings.ts',
  },
}));
