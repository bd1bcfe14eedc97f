import { authentication } from '../../lib/handlers/http/authentication.ts';
import { jsonBody } from '../../lib/handlers/http/body.ts';
import { Chain } from '../../lib/handlers/http/chain.ts';
import { envelope } from '../../lib/handlers/http/envelope.ts';
import { membership } from '../../lib/handlers/http/membership.ts';
import { organization } from '../../lib/handlers/http/organization.ts';
import { withTable } from '../../lib/handlers/http/table.ts';
import { userValidation, validation } from '../../lib/handlers/http/validation.ts';
import type { AnyUserOperation } from '../../lib/operations/operation.ts';
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

// Without an organization the chain is shorter: it has none to ask for, and no role to tell.
const user = called.use(withTable(open)).use(userValidation({} as AnyUserOperation));
// @ts-expect-error: who calls is not known yet.
opened.use(withTable(open)).use(userValidation({} as AnyUserOperation));
// @ts-expect-error: there is no role.
user.handler(async ({ role }) => ({ body: await role }));
user.handler(async ({ call }) => ({ body: call.userId }));
// @ts-expect-error: nor is there an organization in its call.
user.handler(async ({ call }) => ({ body: call.organizationId }));
