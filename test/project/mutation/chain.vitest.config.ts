import { inProcess } from './in-process-tests.ts';

/** The tests of what every request goes through. */
export default inProcess({
  include: [
    'test/unit/{authentication,batch,body,cors,cursor,envelope,idempotency,internal,last-seen}.test.ts',
    'test/unit/{limited,membership,permissions,request-limit,unanswered,validation}.test.ts',
    'test/api/requests/idempotency.test.ts',
    'test/api/organizations/me.test.ts',
    'test/api/fields/*.test.ts',
  ],
  exclude: [],
});
