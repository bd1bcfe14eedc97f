import { defineConfig } from 'vitest/config';

/** The tests of leads: those that run the functions' code in their own process, and those whose requests are answered there. */
export default defineConfig({
  test: {
    include: [
      'test/unit/{batch,custom-fields,erase-content,united}.test.ts',
      'test/api/{leads,notes,fields}/*.test.ts',
    ],
    // These have tables of their own, and call nothing here.
    exclude: ['test/api/leads/{table,uneven-lists,many-pipelines}.test.ts'],
    setupFiles: ['test/setup/own-fakes.ts', 'test/project/mutation/in-process.ts'],
    globalSetup: 'test/setup/service.ts',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 1,
    isolate: false,
  },
});
