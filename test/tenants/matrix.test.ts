import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AnyOperation } from '../../lib/operations/kinds/operation.ts';
import { membersOnly, rolePermissions } from '../../lib/operations/permissions.ts';
import { makeApiKey } from '../api/keys/api-keys.ts';
import { usesUp, withNewKey } from '../support/again.ts';
import { type Answer, call, outcome, routed, routes } from '../support/api.ts';
import { openingWallet } from '../support/billing.ts';
import {
  type Organization,
  type People,
  provision,
  rolesOfExamples,
} from '../support/organization.ts';
import { seed } from '../support/random.ts';
import { quick, some } from '../support/some.ts';
import {
  carriers,
  choices,
  fieldsOf,
  naming,
  type Place,
  placesOf,
  plain,
  type Sent,
  sampleOf,
  seen,
  send,
} from './naming.ts';
import { stateOf, type Tenant, tenant, unknownSecrets } from './tenant.ts';

// Whatever of another organization a request names, it is answered as if there were no such thing, and
// the other organization stays as it is. Every field of every operation that can name something, one
// at a time, and in pairs; unknown things are the control, and things of one's own. In `npm test`, some of these by chance.

let combinations = 0;
afterAll(() => console.info(`${combinations} combinations (SEED=${seed})`));

test('every field of every operation is known to name something or not', () => {
  const fields = routes.flatMap(({ request }) =>
    [request.path, request.query, request.body].flatMap(fieldsOf),
  );
  const unknown = fields.filter((field) => !(field in carriers) && !plain.includes(field));
  expect(unknown, 'to be added to `carriers` or `plain` of test/tenants/naming.ts').toEqual([]);
  expect(routed.flatMap(placesOf).length).toBeGreaterThan(30);
});

/** Who asks, and their role in the other organization. */
const groups = [
  ['strangers', undefined],
  ['the same people', 'owner'],
  ['an owner who is a viewer there', 'viewer'],
  ['an API key alone', undefined],
] as const;
type Group = (typeof groups)[number];
const keyAlone: Group = groups[3];

/** In `npm test`, each operation is tried by one of the groups that may do it. */
const triedBy = (group: Group) =>
  routed.filter(({ id, permission }) => {
    const isForKeys = rolePermissions.admin.has(permission) && !membersOnly.has(permission);
    const all = groups.filter((one) => one !== keyAlone || isForKeys);
    return some(all, 1, id).includes(group);
  });

/** With a new API key in place of a token and the organization. */
const withKeyAlone = async (own: Organization, headers: Record<string, string>) => {
  const { key } = await makeApiKey(own, { role: 'admin' });
  const { 'X-Organization-Id': named, ...rest } = headers;
  expect(named).toBe(own.id);
  return { ...rest, Authorization: `Bearer ${key}` };
};

describe.each(groups.map((group) => [...group, triedBy(group)] as const))(
  '%s',
  (people, role, tried) => {
    let here: People;
    let other: Tenant;
    let before: Awaited<ReturnType<typeof stateOf>>;

    beforeAll(async () => {
      here = await provision();
      other = await tenant(role === 'owner' ? here : await provision());
      if (role === 'viewer') {
        await other.organization.put(`/members/${here.users.owner}`, { role: 'viewer' });
      }
      before = await stateOf(other);
      expect([before.leads?.length, before.ledger?.length]).toEqual([3, 4]);
      expect([before.copies?.length, before.counters?.length]).not.toContain(0);
    });

    const expectUntouched = async () => expect(await stateOf(other)).toEqual(before);
    afterAll(expectUntouched);

    /** What the other organization has and this request did not say itself. */
    const expectNoLeak = (answer: Answer, sent: Sent) => {
      const said = JSON.stringify(sent);
      const secrets = [...Object.values(other.secrets), other.organization.id];
      expect(secrets.filter((one) => !said.includes(one) && answer.text.includes(one))).toEqual([]);
    };

    const otherCursor = async (): Promise<string> => {
      const { body } = await other.organization.get('/billing/history?limit=1');
      return body.next_cursor;
    };

    /** A cursor that the other organization gives for the same list. */
    const foreignCursor = async (operation: AnyOperation, sent: Sent): Promise<string> => {
      const headers = other.organization.headers();
      // A statement of a new organization has one page: its cursors are tried in test/unit/billing/statement.test.ts.
      if (operation.id === 'getStatement') return otherCursor();
      const { cursor: _, ...query } = sent.query;
      const { lead_id, webhook_id } = other.secrets;
      const path = { lead_id, webhook_id };
      for (const filters of [query, {}]) {
        const asked = { path, query: { ...filters, limit: '1' }, body: undefined, headers };
        const { body } = await send(operation, asked);
        if (body.next_cursor) return body.next_cursor;
      }
      throw new Error(`${operation.id} has no second page`);
    };

    let unused: { operation: AnyOperation; request: Sent } | undefined;

    /** A request of one's own, in an organization where no earlier one has done anything. */
    const freshRequest = async (operation: AnyOperation): Promise<Sent> => {
      if (unused?.operation !== operation) {
        const own = await provision(openingWallet(40, 1000), here, rolesOfExamples);
        const request = await sampleOf(operation, own);
        if (people === keyAlone[0]) request.headers = await withKeyAlone(own, request.headers);
        unused = { operation, request };
      }
      return structuredClone(unused.request);
    };

    const ask = async (
      operation: AnyOperation,
      where: Place[],
      alone: boolean,
      foreign: boolean,
    ) => {
      const base = await freshRequest(operation);
      base.headers = withNewKey(base.headers);
      if (alone) base.query = {};
      const secrets = foreign ? other.secrets : unknownSecrets();
      let cursor = 'none';
      if (where.some(([, field]) => field === 'cursor')) {
        cursor = await foreignCursor(operation, naming(base, where, other.secrets, ''));
        if (!foreign) cursor = Buffer.from(cursor, 'base64url').fill(7, 0, 8).toString('base64url');
      }
      const sent = naming(base, where, secrets, cursor);
      const answer = await send(operation, sent);
      if (usesUp(operation, answer)) unused = undefined;
      expectNoLeak(answer, sent);
      return seen(answer, secrets, cursor);
    };

    test('who calls is told of the organizations that they are in, and acts there in the role that they have there', async () => {
      const { tokens, users } = here;
      const headers = {
        authorization: `Bearer ${tokens.owner}`,
        'x-organization-id': other.organization.id,
      };
      const answer = await call('GET', '/me', { headers });
      expect(answer.body.user_id).toBe(users.owner);
      const found = answer.body.organizations.find(
        ({ id }: { id: string }) => id === other.organization.id,
      );
      expect(found?.role).toBe(role);
      expect(answer.text.includes(other.secrets.name)).toBe(found !== undefined);
      // What each role may is in test/api/requests/operations.test.ts: here, that it is the role in that organization.
      expect(outcome(await call('GET', '/leads', { headers }))).toBe(role ? 200 : 'forbidden');
      const path = `/members/${randomUUID()}`;
      const removed = role === 'owner' ? 'not_found' : 'forbidden';
      expect(outcome(await call('DELETE', path, { headers }))).toBe(removed);
      await expectUntouched();
      combinations++;
    });

    describe.each(tried)('$method $path', (operation) => {
      // Says of which operation it is; to read all there is takes as long as a test.
      if (!quick) afterAll(expectUntouched);

      test(`${operation.id} takes what is another organization’s for what there is not`, async () => {
        for (const where of some(choices(placesOf(operation)), 4, operation.id)) {
          const filters = operation.request.query ? [true, false] : [false];
          for (const alone of some(filters, 1, `${operation.id} ${where}`)) {
            const foreign = await ask(operation, where, alone, true);
            const unknown = await ask(operation, where, alone, false);
            expect([where, foreign]).toEqual([where, unknown]);
            combinations++;
          }
        }
      });

      test(`${operation.id} finds what is one’s own, and answers nothing of the other beside it`, async () => {
        const sent = await freshRequest(operation);
        unused = undefined;
        const answer = await send(operation, sent);
        expect(answer.status).toBe(operation.response.status);
        expectNoLeak(answer, sent);
        combinations++;
      });
    });
  },
);
