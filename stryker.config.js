// Mutation testing: `npm run mutation`. Changes the code in small ways, one at a time, and wants a test to fail.
export default {
  mutate: [
    'lib/http/*.ts',
    'lib/{error-body,errors,permissions,cursor,idempotency}.ts',
    'lib/billing/{wallet,rules,apply-event,stars,wallet-events,ledger}.ts',
  ],
  testRunner: 'vitest',
  vitest: { configFile: 'vitest.in-process.config.ts' },
  plugins: ['@stryker-mutator/vitest-runner'],
  coverageAnalysis: 'perTest',
  concurrency: 2,
  // tsconfig.json: Stryker would rewrite it with a TypeScript API that TypeScript 7 does not have.
  ignorePatterns: ['tsconfig.json', '.local', 'cdk.out', 'docs'],
  reporters: ['clear-text', 'json'],
};
