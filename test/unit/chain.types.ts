import { authentication } from '../../lib/handlers/http/authentication.ts';
import { jsonBody } from '../../lib/handlers/http/body.ts';
import { Chain } from '../../lib/handlers/http/chain.ts';
import { envelope } from '../../lib/handlers/http/envelope.ts';
import { membership } from '../../lib/handlers/http/membership.ts';
import { organization } from '../../lib/handlers/http/organization.ts';
import { withTable } from '../../lib/handlers/http/table.ts';
import { validation } from '../../lib/handlers/http/validation.ts';
import { echo } from './echo.ts';

// Checked by `npm run types`: a step that comes before one that it needs does not compile.

const open = () => {
  throw new Error('never called');
};
const operation = echo();
const opened = Chain.in(envelope(operation));
const called = opened.use(authentication(open));
const inOrganization = called.use(organization());
const known = inOrganization.use(withTable(open)).use(membership('leads:read'));
export const valid = known.use(jsonBody()).use(validation(operation));

// @ts-expect-error: who calls is not known yet.
opened.use(organization()).use(withTable(open)).use(membership('leads:read'));
// @ts-expect-error: in which organization is not known yet.
called.use(withTable(open)).use(membership('leads:read'));
// @ts-expect-error: there is no table to read the membership from.
inOrganization.use(membership('leads:read'));
// @ts-expect-error: neither is known yet.
opened.use(validation(operation));
// @ts-expect-error: whether the call is valid is not known yet.
known.handler(async ({ call }) => ({ body: call }));
valid.handler(async ({ call }) => ({ body: call }));

// Of an operation without an organization:
const userOperation = {} as AnyUserOperation;
const called2 = opened.use(authentication(open)).use(withTable(open));
