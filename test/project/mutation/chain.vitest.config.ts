import { inProcess } from './in-process-tests.ts';

/** The tests of what every request goes through. */
export default inProcess({
  include: [
    'test/unit/{authentication,batch,body,cors,cursor,envelope,errors,idempotency,internal,last-seen}.test.ts',
    'test/unit/{limited,membership,permissions,request-limit,resource,unanswered,validation}.test.ts',
    'test/api/requests/idempotency.test.ts',
    'test/api/organizations/me.test.ts',
    'test/api/fields/*.test.ts',
    'test/api/webhooks/webhooks.test.ts',
  ],
  exclude: [],
});
