import type { Admission } from '../../../../lib/handlers/http/admission/admission.ts';
import { authentication } from '../../../../lib/handlers/http/authentication.ts';
import { Chain } from '../../../../lib/handlers/http/chain.ts';
import { envelope, withTable } from '../../../../lib/handlers/http/envelope.ts';
import { organization } from '../../../../lib/handlers/http/organization.ts';
import { readUserCall } from '../../../../lib/handlers/http/validation.ts';
import type { AnyUserOperation } from '../../../../lib/operations/kinds/user-operation.ts';
import { echo } from '../../echo.ts';

// Checked by `npm run types`: a step that comes before one that it needs does not compile.

const open = () => {
  throw new Error('never called');
};
declare const admission: Admission;
const opened = Chain.in(envelope(echo()));
const called = opened.use(authentication(open));
const inOrganization = called.use(organization);
const known = inOrganization.use(withTable(open));

known.handler(async (all, event) => ({ body: await admission.admit(all, event) }));
// @ts-expect-error: there is no table to read the membership from.
inOrganization.handler(async (all, event) => ({ body: await admission.admit(all, event) }));
const nowhere = called.use(withTable(open));
// @ts-expect-error: in which organization is not known.
nowhere.handler(async (all, event) => ({ body: await admission.admit(all, event) }));
const anonymous = opened.use(organization).use(withTable(open));
// @ts-expect-error: who calls is not known.
anonymous.handler(async (all, event) => ({ body: await admission.admit(all, event) }));

// Without an organization the chain is shorter.
const operation = {} as AnyUserOperation;
const user = called.use(withTable(open));
user.handler(async (all, event) => ({ body: readUserCall(operation, all, event).userId }));
// @ts-expect-error: who calls is not known.
opened.handler(async (all, event) => ({ body: readUserCall(operation, all, event) }));
// @ts-expect-error: there is no organization.
user.handler(async (all) => ({ body: all.organizationId }));
