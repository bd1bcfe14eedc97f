import { defineConfig } from 'vitest/config';

/** Tests that run the functions' code in their own process: also what mutation testing can reach. */
export const inProcessTests = ['test/in-process/**/*.test.ts', 'test/billing/rules.test.ts'];

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
