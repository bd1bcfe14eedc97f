import { type ApiResponse, ask, differencesOfError, differencesOfStatus } from './api-response.ts';
import { type Check, NotTriedError } from './check.ts';
import type { Target } from './target.ts';

/**
 * The organization of these checks. All that they do is done once in a deployment, by ids that stay the same: every
 * later run only hears of it. Whoever changes what is sent needs other ids, too.
 */
const organizationId = '5b1c7f0e-3d52-4c6a-9a57-2f6d1d0c8b11';
const organization = {
  name: 'Smoke test',
  members: [{ user_id: 'e3f0a9c4-8d17-4b7e-8a3c-61b5d2f49e70', role: 'owner' }],
  wallet: { pack_stars: 1 },
};
const spendPath = '/billing/spends/smoke-test';

/** What only the company's own backend may do, with a platform key. */
export const platformChecks: Check[] = [
  {
    title: 'a plan with a wrong price is refused, and the answer says what is wrong',
    run: async (target) => {
      const plan = { name: 'Smoke test', price_cents: -1, currency: 'USD', monthly_grant_stars: 1 };
      const refused = await put(target, '/billing/plans/smoke-test', plan);
      const [{ path } = { path: 'nothing' }] = refused.body?.error?.details ?? [];
      return [
        ...differencesOfError(refused, 'invalid_request'),
        ...(path === 'price_cents' ? [] : [`It names ${path} instead of price_cents.`]),
      ];
    },
  },
  {
    title: 'an organization is made once, and its one star is spent once',
    run: async (target) => {
      const differences = await differencesOfTwice(
        target,
        `/organizations/${organizationId}`,
        organization,
      );
      if (differences.length > 0) return differences;
      return [
        ...(await differencesOfTwice(target, spendPath, { stars: 1 })),
        ...differencesOfError(await put(target, spendPath, { stars: 2 }), 'event_id_reused'),
      ];
    },
  },
];

/** Does it, which an earlier run may have done, and once more: then it has the same answer. */
const differencesOfTwice = async (
  target: Target,
  path: string,
  body: object,
): Promise<string[]> => {
  const first = await put(target, path, body);
  if (first.status !== 201 && first.status !== 200) return differencesOfStatus(first, 201);
  const repeat = await put(target, path, body);
  return [
    ...differencesOfStatus(repeat, 200),
    ...(repeat.text === first.text ? [] : [`The answer to a repeat of PUT ${path} is another.`]),
  ];
};

const put = (target: Target, path: string, body: object): Promise<ApiResponse> => {
  const { platformKey } = target;
  if (!platformKey) {
    throw new NotTriedError(
      'This check needs a platform key: with --stack in PLATFORM_KEY, here that of a demo.',
    );
  }
  const headers = {
    authorization: `Bearer ${platformKey}`,
    'content-type': 'application/json',
    ...(path === spendPath && { 'x-organization-id': organizationId }),
  };
  return ask(target, 'PUT', path, { headers, body: JSON.stringify(body) });
};
