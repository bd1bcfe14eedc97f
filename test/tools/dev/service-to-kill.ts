import { openSync, readFileSync } from 'node:fs';
import { type IssuerIdentity, issuerLike } from '@leads-and-stars/runner';
import { runUntilStopped } from '../../../tools/cli/run.ts';
import { makeDemo } from '../../../tools/demo/demo.ts';
import { numberMissing } from '../../../tools/dev/number-missing.ts';
import { codeIn } from '../../../tools/service/bundles.ts';
import type { DemoOrganization } from '../../../tools/service/demo-organization.ts';
import { writeReadyFile } from '../../../tools/service/ready-file.ts';
import { busesOf, startService } from '../../../tools/service/service.ts';

// What `npm run dev` does on a database that lasts, with what was synthesized and bundled for other tests. Its arguments: a
// file that says where that is, and its ready file.

export interface ToKill {
  databaseFile: string;
  logFile: string;
  issuerIdentity: IssuerIdentity;
  directory: string;
  codeDirectory: string;
}

export interface Ready {
  base_url: string;
  dynamodb_endpoint: string;
  events_endpoint: string;
  event_bus_name: string;
  organizations: DemoOrganization[];
}

const [, , settingsFile = '', readyFile = ''] = process.argv;

await runUntilStopped(async () => {
  const settings: ToKill = JSON.parse(readFileSync(settingsFile, 'utf8'));
  const service = await startService({
    prepared: {
      issuer: await issuerLike(settings.issuerIdentity),
      directory: settings.directory,
      codeOf: await codeIn(settings.codeDirectory),
      close: async () => {},
    },
    storage: { file: settings.databaseFile },
    port: 0,
    environmentsPerFunction: 2,
    sharesProcesses: true,
    logs: openSync(settings.logFile, 'a'),
  });
  void numberMissing(service).catch(console.error);
  const { organizations } = await makeDemo(service);
  const ready: Ready = {
    base_url: service.baseUrl,
    dynamodb_endpoint: service.tableEndpoint,
    events_endpoint: service.eventsEndpoint,
    event_bus_name: busesOf(service).own,
    organizations,
  };
  writeReadyFile(readyFile, ready as never);
  return service;
});
