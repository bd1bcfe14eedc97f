import { defineConfig } from 'vitest/config';

/** The tests of what the short form changes: none of them needs anything around it. */
export default defineConfig({
  test: { include: ['test/unit/{operations/permissions,schema/cursor}.test.ts'] },
});
