import { expect, test } from 'vitest';
import { handler as createLead } from '../../../functions/leads/create-lead.ts';
import { handler as deleteLead } from '../../../functions/leads/delete-lead.ts';
import { operation as eraseLead } from '../../../functions/leads/erase-lead.ts';
import { handler as getLead } from '../../../functions/leads/get-lead.ts';
import { handler as listLeadHistory } from '../../../functions/leads/list-lead-history.ts';
import {
  handler as restored,
  operation as restoreLead,
} from '../../../functions/leads/restore-lead.ts';
import type { HttpHandler } from '../../../lib/handlers/http/middleware.ts';
import { serve } from '../../../lib/handlers/http/serve.ts';
import type { Step } from '../../support/faults/step.ts';
import { type Answer, Organization, run, withSteps } from '../support.ts';

// A deleted lead comes back after a request has seen that it is gone, and before it reads why.

const deleted = async () => {
  const organization = await Organization.make();
  const headers = organization.headers({ 'Content-Type': 'application/json' });
  const lead = { contact_name: 'Ana', pipeline_id: organization.pipelineId };
  const { body } = await run(createLead, { headers, body: JSON.stringify(lead) });
  const ask = (handler: HttpHandler) =>
    run(handler, { headers: organization.headers(), path: { lead_id: body.id } });
  // It looks for the engine at its first request.
  expect((await ask(restored)).status).toBe(200);
  expect((await ask(deleteLead)).status).toBe(204);
  const types = async () =>
    (await ask(listLeadHistory)).body.items.map(({ type }: { type: string }) => type);
  return { id: body.id as string, ask, types };
};

/** Asks for it while the lead comes back. */
const meanwhile = async (
  operation: typeof eraseLead | typeof restoreLead,
  { id, ask }: Awaited<ReturnType<typeof deleted>>,
) => {
  const handler = serve(operation as never);
  const seen = Promise.withResolvers<void>();
  let begun = false;
  let cameBack: Answer | undefined;
  let answer: Answer | undefined;
  const comeBack: Step = async ({ operation: asked, body }, pass) => {
    if (asked === 'Query' && body.includes(id) && !begun) {
      begun = true;
      await seen.promise;
      cameBack = await ask(restored);
    }
    const reply = await pass();
    if (asked === 'BatchGetItem' && body.includes(id)) seen.resolve();
    return reply;
  };
  await withSteps([comeBack], async () => {
    answer = await ask(handler);
  });
  expect(cameBack?.status).toBe(200);
  return answer!;
};

test('erasing it removes what came back', async () => {
  const lead = await deleted();
  expect((await meanwhile(eraseLead, lead)).status).toBe(202);
  expect((await lead.ask(getLead)).status).toBe(404);
  expect((await lead.types())[0]).toBe('lead.erased');
  expect((await lead.ask(restored)).status).toBe(404);
});

test('restoring it answers what came back', async () => {
  const lead = await deleted();
  const { status, body } = await meanwhile(restoreLead, lead);
  expect([status, body]).toEqual([200, (await lead.ask(getLead)).body]);
  expect(await lead.types()).toEqual(['lead.restored', 'lead.deleted', 'lead.created']);
});
