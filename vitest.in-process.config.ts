import { defineConfig } from 'vitest/config';

export const inProcessTests = ['test/in-process/**/*.test.ts', 'test/billing/rules.test.ts'];

// Tests that run the functions' code in their own process: also what mutation testing can reach.
export default defineConfig({
  test: {
    name: 'in-process',
    include: inProcessTests,
    globalSetup: 'test/setup/surroundings.ts',
    testTimeout: 10_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
