import { randomUUID } from 'node:crypto';
import { createPlatformKey, deletePlatformKey } from '../admin/platform-keys.ts';
import { patientTable } from '../admin/target.ts';
import { type ApiResponse, ask, differencesOfError, differencesOfStatus } from './api-response.ts';
import { type Check, NotTriedError } from './check.ts';
import type { SmokeTarget } from './target.ts';

/**
 * The organization of these checks: it is made once in a deployment, and every later run only hears of it. Whoever changes
 * what is sent needs another id, too.
 */
export const organizationId = '5b1c7f0e-3d52-4c6a-9a57-2f6d1d0c8b11';
const organization = {
  name: 'Smoke test',
  members: [{ user_id: 'e3f0a9c4-8d17-4b7e-8a3c-61b5d2f49e70', role: 'owner' }],
  wallet: { pack_stars: 1 },
};

/** Longer than any run: a key that a killed run has left ends then. */
const keyLifeMs = 60 * 60 * 1000;

/** Asks with the platform key, in the organization. Throws `NotTriedError` where there is no key. */
export const askAsBackend = (
  target: SmokeTarget,
  method: string,
  path: string,
  body?: object,
  more: Record<string, string> = {},
): Promise<ApiResponse> => {
  const { platformKey } = target.made;
  if (!platformKey) throw new NotTriedError('There is no platform key.');
  const headers = {
    authorization: `Bearer ${platformKey}`,
    'x-organization-id': organizationId,
    ...(body && { 'content-type': 'application/json' }),
    ...more,
  };
  return ask(target, method, path, { headers, ...(body && { body: JSON.stringify(body) }) });
};

/** Checks of what the company's own backend may do, with a platform key that is deleted at the end. */
export const backendChecks: Check[] = [
  {
    title: 'a platform key can be made',
    run: async ({ cleanUp, made }) => {
      const id = randomUUID();
      cleanUp.add(`the platform key ${id}, which ends in an hour`, () =>
        deletePlatformKey(patientTable(), id),
      );
      const expiresAt = Date.now() + keyLifeMs;
      const fields = { id, name: 'Smoke test', role: 'platform', expiresAt } as const;
      made.platformKey = (await createPlatformKey(patientTable(), fields)).key;
      return [];
    },
  },
  {
    title: 'a plan with a wrong price is refused, and the answer says what is wrong',
    run: async (target) => {
      const plan = { name: 'Smoke test', price_cents: -1, currency: 'USD', monthly_grant_stars: 1 };
      const refused = await askAsBackend(target, 'PUT', '/billing/plans/smoke-test', plan);
      const [{ path } = { path: 'nothing' }] = refused.body?.error?.details ?? [];
      return [
        ...differencesOfError(refused, 'invalid_request'),
        ...(path === 'price_cents' ? [] : [`It names ${path} instead of price_cents.`]),
      ];
    },
  },
  {
    title: 'an organization is made once',
    run: async (target) => {
      const path = `/organizations/${organizationId}`;
      const first = await askAsBackend(target, 'PUT', path, organization);
      if (first.status !== 201 && first.status !== 200) return differencesOfStatus(first, 201);
      target.made.pipelineId = first.body.pipelines[0].id;
      return differencesOfRepeat(await askAsBackend(target, 'PUT', path, organization), first);
    },
  },
];

/** The differences between the first answer to a PUT and the answer to its repeat. */
export const differencesOfRepeat = (repeat: ApiResponse, first: ApiResponse): string[] => [
  ...differencesOfStatus(repeat, 200),
  ...(repeat.text === first.text ? [] : ['The answer to a repeat is another.']),
];
