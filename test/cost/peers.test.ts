import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { functionOf } from '@leads-and-stars/runner';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, inject, onTestFinished, test } from 'vitest';
import { operation as answerAgent } from '../../functions/agents/answer-agent.ts';
import { operations as withoutMcp } from '../bench/peers/without-mcp.ts';
import { bundlePeer } from '../bench/speed/build.ts';
import { probed } from '../bench/speed/probe.ts';
import { variablesOf } from '../bench/speed/stage.ts';
import { balanceOf, openingWallet } from '../support/billing.ts';
import { invoke, type Organization, provision } from '../support/organization.ts';
import { sample } from '../support/samples.ts';

const service = inject('service');

/** Starts a peer from a bundle, in a process of its own, with the variables of the service's function that it stands beside. */
const startPeer = async (
  peer: string,
  own: string,
  event: APIGatewayProxyEvent,
  organization: Organization,
): Promise<void> => {
  const directory = await mkdtemp(join(tmpdir(), `leads-and-stars-${peer}-`));
  onTestFinished(() => rm(directory, { recursive: true }));
  const eventFile = join(directory, 'event.json');
  await writeFile(eventFile, JSON.stringify(event));
  // The issuer's keys are in the table.
  await invoke('renewIssuerKeys', await sample('renewIssuerKeys', organization));
  const environment = {
    ...functionOf(service.functions, own)!.environment,
    ...variablesOf(service.tableEndpoint, service.issuerIdentity.certificateFile),
  };
  const values = [await bundlePeer(peer, directory), eventFile];
  const { answered } = await probed<{ answered: number }>({ environment }, 'probe.mjs', values);
  expect(answered).toBeGreaterThan(0);
};

test('what a cold createLead is measured beside makes the same lead', async () => {
  const organization = await provision();
  const event = await sample('createLead', organization);
  await startPeer('by-hand', 'createLead', event, organization);

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

test('what a cold agent is measured beside has its operations, and spends', async () => {
  const ids = (all: readonly { id: string }[]) => all.map(({ id }) => id).sort();
  expect(ids(withoutMcp)).toEqual(ids(answerAgent.operations));
  const organization = await provision(openingWallet(0, 100));
  const event = await sample('putSpend', organization);
  await startPeer('without-mcp', 'answerAgent', event, organization);
  const { stars } = JSON.parse(event.body!);
  expect(await balanceOf(organization)).toMatchObject({ available_stars: 100 - stars });
});
