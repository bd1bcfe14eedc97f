import { defineConfig } from 'vitest/config';
// For the workers, and for the programs that tests start: they inherit it.
import './tools/cli/compile-cache.js';
import { LongestFirst } from './test/setup/longest-first.ts';
import { byMode } from './test/setup/tags.ts';

/** What tests of the running service need. */
const service = {
  setupFiles: 'test/setup/own-fakes.ts',
  globalSetup: 'test/setup/service.ts',
  // It ends what hangs: a slow machine may take minutes, and some start whole services.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  maxWorkers: 3,
  // With room for what is new, less is copied: a twelfth of the time.
  execArgv: ['--max-semi-space-size=64'],
  // Loading what files share takes longer than most of them.
  isolate: false,
};

/** Those that start programs: apart, so that these inherit nothing that other files have set. */
const programs = ['test/browser/**/*.test.ts', 'test/tools/{dev,smoke}/**/*.test.ts'];

/** Those in which very many requests meet at one item. Beside other tests they take four times as long, or fail. */
const meetings = ['test/api/billing/races.test.ts', 'test/faults/transaction-conflicts.test.ts'];

/** Those that have a project of their own. */
const apart = [
  ...programs,
  ...meetings,
  'test/{unit,stack,afterwards,bench}/**',
  '**/node_modules/**',
];

export default defineConfig(({ mode }) => ({
  test: {
    sequence: { sequencer: LongestFirst },
    ...byMode(mode),
    projects: [
      'test/unit/vitest.config.ts',
      'packages/runner/vitest.config.ts',
      {
        test: {
          ...service,
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: apart,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...service,
          name: 'programs',
          include: programs,
          sequence: { groupOrder: 0 },
        },
      },
      // They share the CDK, and what has been synthesized.
      {
        test: {
          ...service,
          name: 'stack',
          include: ['test/stack/**/*.test.ts'],
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...service,
          name: 'alone',
          include: meetings,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      // After all others: they look at what those did.
      {
        test: {
          ...service,
          name: 'afterwards',
          include: ['test/afterwards/**/*.test.ts'],
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
}));
