import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: 'test/setup/service.ts',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: ['test/afterwards/**', 'test/bench/**'],
          sequence: { groupOrder: 0 },
        },
      },
      // After all others: they look at what those did.
      {
        extends: true,
        test: {
          name: 'afterwards',
          include: ['test/afterwards/**/*.test.ts'],
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
