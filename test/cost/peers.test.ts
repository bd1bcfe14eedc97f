import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { functionOf } from '@leads-and-stars/runner';
import { expect, inject, onTestFinished, test } from 'vitest';
import { bundlePeer } from '../bench/speed/build.ts';
import { probed } from '../bench/speed/probe.ts';
import { variablesOf } from '../bench/speed/stage.ts';
import { invoke, provision } from '../support/organization.ts';
import { sample } from '../support/samples.ts';

const service = inject('service');

test('what cold starts are measured beside makes the same lead, from a bundle and in a process of its own', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'leads-and-stars-by-hand-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const organization = await provision();
  const event = await sample('createLead', organization);
  const eventFile = join(directory, 'event.json');
  await writeFile(eventFile, JSON.stringify(event));
  // The issuer's keys are in the table.
  await invoke('renewIssuerKeys', await sample('renewIssuerKeys', organization));
  const environment = {
    ...functionOf(service.functions, 'createLead')!.environment,
    ...variablesOf(service.tableEndpoint, service.issuerIdentity.certificateFile),
  };
  const bundle = await bundlePeer('by-hand', directory);
  const { answered } = await probed<{ answered: number }>({ environment }, 'probe.mjs', [
    bundle,
    eventFile,
  ]);
  expect(answered).toBeGreaterThan(0);

  const byHand = (await organization.get('/leads')).body.items;
  expect(byHand.length).toBe(1);
  const [{ id, created_at, updated_at, stage_entered_at, email, ...lead }] = byHand;
  const ofService = await organization.post('/leads', {
    ...JSON.parse(event.body!),
    email: `other-${email}`,
  });
  expect(ofService.body).toMatchObject(lead);
  expect(Object.keys(ofService.body)).toEqual(Object.keys(byHand[0]));
  const history = async (leadId: string) =>
    (await organization.get(`/leads/${leadId}/history`)).body.items.map(
      ({ type, changes }: { type: string; changes: object }) => ({ type, changes }),
    );
  expect(await history(id)).toEqual(
    (await history(ofService.body.id)).map((entry: object) =>
      JSON.parse(JSON.stringify(entry).replace(`other-${email}`, email)),
    ),
  );
});
