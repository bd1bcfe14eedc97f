import { randomUUID } from 'node:crypto';
import { differencesOfError, differencesOfStatus, withRequest } from './api-response.ts';
import { askAsBackend } from './backend.ts';
import { type Check, NotTriedError } from './check.ts';
import type { SmokeTarget } from './target.ts';

/** Checks of a lead, from its creation to its end. */
export const leadChecks: Check[] = [
  {
    title: 'a lead can be made, read and deleted; a repeat with its key makes no second lead',
    run: async (target) => {
      const { made, cleanUp, runId } = target;
      if (!made.pipelineId) throw new NotTriedError('There is no organization.');
      const external_id = `smoke-${runId}`;
      const calm = { ...target, stopped: undefined };
      cleanUp.add(`the lead with the external id ${external_id}`, () =>
        deleteLeads(calm, external_id),
      );

      const lead = { contact_name: 'Smoke test', pipeline_id: made.pipelineId, external_id };
      const key = { 'idempotency-key': randomUUID() };
      const first = await askAsBackend(target, 'POST', '/leads', lead, key);
      if (first.status !== 201) return withRequest('POST /leads', differencesOfStatus(first, 201));
      const { id } = first.body;
      made.changes.push({ type: 'lead.created', id });

      const differences: string[] = [];
      const repeat = await askAsBackend(target, 'POST', '/leads', lead, key);
      if (repeat.body?.id !== id || repeat.headers.get('idempotency-replayed') !== 'true') {
        differences.push(`A repeat of POST /leads is not replayed: its body is ${repeat.text}.`);
      }
      const path = `/leads/${id}`;
      const read = await askAsBackend(target, 'GET', path);
      differences.push(...withRequest(`GET ${path}`, differencesOfStatus(read, 200)));
      const deleted = await askAsBackend(target, 'DELETE', path);
      if (deleted.status === 204) made.changes.push({ type: 'lead.deleted', id });
      differences.push(...withRequest(`DELETE ${path}`, differencesOfStatus(deleted, 204)));
      const gone = await askAsBackend(target, 'GET', path);
      return [...differences, ...withRequest(`GET ${path}`, differencesOfError(gone, 'not_found'))];
    },
  },
];

const deleteLeads = async (target: SmokeTarget, external_id: string): Promise<void> => {
  const found = await askAsBackend(target, 'GET', `/leads?external_id=${external_id}`);
  if (found.status !== 200) throw new Error(differencesOfStatus(found, 200).join(' '));
  for (const { id } of found.body.items) {
    const deleted = await askAsBackend(target, 'DELETE', `/leads/${id}`);
    if (deleted.status !== 204) throw new Error(differencesOfStatus(deleted, 204).join(' '));
  }
};
