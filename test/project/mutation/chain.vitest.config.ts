import { inProcess } from './in-process-tests.ts';

/** The tests of what every request goes through. */
export default inProcess({
  include: [
    'test/unit/{authentication,batch,body,cors,cursor,envelope,errors,idempotency}.test.ts',
    'test/unit/{internal,issues,kept-keys,limited,membership,permissions,request-limit,resource}.test.ts',
    'test/unit/{unanswered,validation}.test.ts',
    'test/api/requests/idempotency.test.ts',
    'test/api/organizations/me.test.ts',
    'test/api/fields/*.test.ts',
    'test/api/webhooks/webhooks.test.ts',
  ],
  exclude: [],
});
