import { defineConfig } from 'vitest/config';
// For the workers, and for the programs that tests start: they inherit it.
import './tools/cli/compile-cache.js';
import { LongestFirst } from './test/setup/longest-first.ts';
import { byMode, ofEachTest } from './test/setup/tags.ts';

/** What tests of the running service need. */
const service = (mode: string) => ({
  ...ofEachTest(mode),
  setupFiles: 'test/setup/own-fakes.ts',
  globalSetup: 'test/setup/service.ts',
});

/** Those in which very many requests meet at one item. Beside other tests they take four times as long, or fail. */
const meetings = ['test/api/billing/races.test.ts', 'test/faults/transaction-conflicts.test.ts'];

/** Those that have a project of their own. */
const apart = [...meetings, 'test/{unit,afterwards,bench}/**', '**/node_modules/**'];

export default defineConfig(({ mode }) => ({
  test: {
    sequence: { sequencer: LongestFirst },
    ...byMode(mode),
    projects: [
      'test/unit/vitest.config.ts',
      'packages/runner/vitest.config.ts',
      {
        test: {
          ...service(mode),
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: apart,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...service(mode),
          name: 'alone',
          include: meetings,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      // After all others: they look at what those did.
      {
        test: {
          ...service(mode),
          name: 'afterwards',
          include: ['test/afterwards/**/*.test.ts'],
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
}));
