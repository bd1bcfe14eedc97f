import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ExampleRequest } from '../../../functions/example.ts';
import { isInOrganization } from '../../../lib/operations/definition.ts';
import type { AnyOperation } from '../../../lib/operations/kinds/operation.ts';
import { headersOf } from '../../../tools/examples/gateway-event.ts';
import { loadExamples } from '../../../tools/examples/load.ts';
import { call, insist } from '../../support/api.ts';
import { openingWallet } from '../../support/billing.ts';
import { type Organization, provision, rolesOfExamples } from '../../support/organization.ts';
import { seed } from '../../support/random.ts';
import { senderOf, setting } from '../../support/samples.ts';
import { some, times } from '../../support/some.ts';
import { places, replaced } from './requests.ts';

// The operations' examples as they are, and with something else in one or two places. `call` holds every answer against
// what its operation declares, and none is a 5xx. `npm test` tries some operations by chance. A run is repeated with its
// SEED; `npx vitest run test/api/input/fuzz -t <operation>` runs one of them.

console.info(`SEED=${seed}`);

const all = (await loadExamples()).flatMap(({ operation, examples }) =>
  operation.kind === 'routed' && isInOrganization(operation)
    ? [{ id: operation.id, operation: operation as AnyOperation, examples }]
    : [],
);

const hard = [
  ...['', ' ', '\u0000', '__proto__', '-0', '1e999', 'B1@example.com', '+5511987654321'],
  ...['0000-01-01T00:00:00+23:59', '9999-12-31T23:59:59-23:59', '2024-02-29T23:59:59.9999999Z'],
  ...[-1, 1.5, 1e300, 2 ** 53, true, null, [], {}],
];
const anything = fc.oneof(
  fc.constantFrom<unknown>(...hard),
  fc.jsonValue(),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.uuid(),
  fc.maxSafeInteger(),
);
const changes = fc.array(fc.tuple(fc.nat(), anything), { maxLength: 2 });

/** A request with something else in these of its places. */
const changed = (
  { path = {}, query = {}, body }: ExampleRequest,
  given: [at: number, by: unknown][],
) => {
  let request = { path, query, ...(body !== undefined && { body }) };
  for (const [at, by] of given) {
    const own = places(request).filter((place) => place.length > 1 || place[0] === 'body');
    if (own.length > 0) request = replaced(request, own[at % own.length]!, by);
  }
  return request;
};

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** What URLs can’t hold, `encodeURIComponent` does not take. */
const segment = (value: unknown): string => encodeURIComponent(asText(value).toWellFormed() || 'x');

const send = async (
  organization: Organization,
  operation: AnyOperation,
  { path, query, body }: ReturnType<typeof changed>,
) => {
  const filled = operation.path.replace(/\{(\w+)\}/g, (_, name) => segment(path[name]));
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, asText(one)]),
  );
  const json = body === undefined ? undefined : JSON.stringify(body);
  const headers = headersOf(operation, { body }, senderOf(organization));
  const answer = await insist(() =>
    call(operation.method, `${filled}?${new URLSearchParams(parameters)}`, {
      headers,
      ...(json !== undefined && { body: json }),
    }),
  );
  const told = answer.text.slice(0, 500);
  expect([answer.status < 500, told]).toEqual([true, told]);
};

test.each(some(all, 12, 'fuzz'))(
  '$id answers whatever it is sent as it declares',
  async ({ operation, examples }) => {
    const property = fc.asyncProperty(fc.nat(), changes, async (which, given) => {
      const wallet = openingWallet(40, 1000);
      const organization = await provision(wallet, undefined, rolesOfExamples);
      const example = examples[which % examples.length]!;
      const request = changed(await example.request(setting(organization)), given);
      await send(organization, operation, request);
    });
    await fc.assert(property, { seed, numRuns: times(4, 30), endOnFailure: true });
  },
);
