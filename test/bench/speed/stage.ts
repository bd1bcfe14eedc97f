import { randomUUID } from 'node:crypto';
import { openSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { globalAgent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { adminClient, credentials, region } from '@leads-and-stars/runner';
import { roles } from '../../../lib/operations/permissions.ts';
import { TableClient } from '../../../lib/table/client.ts';
import { renewStoredKeys } from '../../../lib/tokens/stored-keys.ts';
import { demoSender, demoSetting } from '../../../tools/examples/demo.ts';
import { loadExamples } from '../../../tools/examples/load.ts';
import { sampleEvent } from '../../../tools/examples/sample.ts';
import type { DemoOrganization } from '../../../tools/service/demo-organization.ts';
import { type Service, startService } from '../../../tools/service/service.ts';
import { makeSetting } from '../../cost/setting.ts';
import { secured } from './secured.ts';

/** A running service with an organization in it, for functions that are run beside it. */
export interface Stage {
  service: Service;
  directory: string;
  environment: Record<string, string>;
  /** A file with an event for the function, by an example, with ids and keys that were not used before. */
  eventFor(functionId: string, exampleName: string): Promise<string>;
  close(): Promise<void>;
}

/** What a process has beside its function's own variables: an engine, not through what checks permissions and costs time. */
export const variablesOf = (tableEndpoint: string, certificates: string) => ({
  AWS_LAMBDA_FUNCTION_NAME: 'measured',
  AWS_REGION: region,
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_SESSION_TOKEN: 'local',
  AWS_ENDPOINT_URL_DYNAMODB: tableEndpoint,
  NODE_EXTRA_CA_CERTS: certificates,
});

const examples = new Map((await loadExamples()).map((one) => [one.operation.id, one]));

export const setStage = async (): Promise<Stage> => {
  const directory = await mkdtemp(join(tmpdir(), 'leads-and-stars-bench-'));
  const logs = openSync('/dev/null', 'a');
  const service = await startService({
    storage: 'memory',
    port: 0,
    environmentsPerFunction: 1,
    logs,
  });
  const engine = await secured(service.tableEndpoint);
  const certificates = join(directory, 'certificates.pem');
  const ofIssuer = await readFile(service.issuer.certificateFile, 'utf8');
  await writeFile(certificates, `${ofIssuer}\n${engine.certificate}`);
  const { id, owner, pipelineId, token, platformKey } = await makeSetting(service);
  const ofEachRole = (value: string) =>
    Object.fromEntries(roles.map((role) => [role, value])) as DemoOrganization['users'];
  const organization = {
    organization_id: id,
    name: 'Cedro',
    pipeline_id: pipelineId,
    users: { ...ofEachRole(owner), viewer: randomUUID() },
    user_names: ofEachRole('Ana'),
    tokens: ofEachRole(token),
  };
  const [anyFunction] = service.assembly.functions.filter((fn) => fn.environment.ISSUER);
  const demo = { organizations: [organization], platform_key: platformKey };
  const setting = demoSetting(service, demo);
  const environment: Record<string, string> = {
    ...anyFunction!.environment,
    ...variablesOf(engine.endpoint, certificates),
  };
  globalAgent.options.ca = ofIssuer;
  await keepKeys(service.tableEndpoint, environment);
  return {
    service,
    directory,
    environment,
    async eventFor(functionId, exampleName) {
      const all = examples.get(functionId)!;
      const example = all.examples.find(({ name }) => name === exampleName)!;
      const file = join(directory, `${randomUUID()}.json`);
      const event = await sampleEvent({ ...all, examples: [example] }, setting, demoSender(demo));
      await writeFile(file, JSON.stringify(event));
      return file;
    },
    async close() {
      await engine.close();
      await service.close();
      await rm(directory, { recursive: true });
    },
  };
};

/** As the function does that the clock starts. */
const keepKeys = async (
  endpoint: string,
  { TABLE_NAME = '', JWKS_URI = '' }: Record<string, string>,
): Promise<void> => {
  const documents = DynamoDBDocumentClient.from(adminClient(endpoint));
  await renewStoredKeys(new TableClient(documents, TABLE_NAME), JWKS_URI);
};
