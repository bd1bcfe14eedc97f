import { inProcess } from './in-process-tests.ts';

/** The tests of what every request goes through. */
export default inProcess({
  include: [
    'test/unit/organizations/request-limit.test.ts',
    'test/unit/leads/batches/batch.test.ts',
    'test/unit/{errors,schema}/*.test.ts',
    'test/unit/handlers/{measurement,http/**/*}.test.ts',
    'test/unit/operations/*.test.ts',
    'test/unit/tokens/*.test.ts',
    'test/api/requests/idempotency.test.ts',
    'test/api/organizations/get-me.test.ts',
    'test/api/fields/*.test.ts',
    'test/api/webhooks/{create-webhook,update-webhook,delete-webhook,rotate-webhook-secret}.test.ts',
  ],
  exclude: [],
});
