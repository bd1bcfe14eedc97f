import { expect, inject, test } from 'vitest';
import type { Example } from '../../../functions/example.ts';
import { type Definition, hasRoute } from '../../../lib/operations/definition.ts';
import { headersOf } from '../../../tools/examples/gateway-event.ts';
import { loadExamples } from '../../../tools/examples/load.ts';
import { eventFor, pathOf } from '../../../tools/examples/request.ts';
import { call, routes } from '../../support/api.ts';
import { openingWallet } from '../../support/billing.ts';
import { invoke, provision } from '../../support/organization.ts';
import { senderOf, setting } from '../../support/samples.ts';

// @module-tag long

const all = await loadExamples();

/** The status of the answer; of a function without a route, 200 where it did not fail. */
const statusOf = async (operation: Definition, example: Example): Promise<number> => {
  const organization = await provision(openingWallet(40, 22));
  const request = await example.request(setting(organization));
  if (!hasRoute(operation)) {
    const { failed, payload } = await invoke(operation.id, eventFor(operation, request));
    return failed || payload?.batchItemFailures?.length > 0 ? 500 : 200;
  }
  const sent = {
    method: operation.method,
    headers: headersOf(operation, request, senderOf(organization)),
    ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
  };
  const path = pathOf(operation, request);
  // What agents are answered is of their protocol: test/api/agents.
  if (!routes.some(({ id }) => id === operation.id)) {
    return (await fetch(`${inject('service').baseUrl}${path}`, sent)).status;
  }
  return (await call(operation.method, path, sent)).status;
};

test.each(all.map((one) => [one.operation.id, one] as const))(
  'each example of %s is answered with its status',
  async (_id, { operation, examples }) => {
    const usual = hasRoute(operation) ? operation.response.status : 200;
    const statuses = await Promise.all(
      examples.map(async (example) => [example.name, await statusOf(operation, example)]),
    );
    expect(statuses).toEqual(examples.map(({ name, status = usual }) => [name, status]));
  },
);
