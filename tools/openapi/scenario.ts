import { randomUUID } from 'node:crypto';
import { v5 } from 'uuid';
import type { Setting } from '../../functions/example.ts';
import { isPlatformPermission } from '../../lib/operations/permissions.ts';
import { demoSetting } from '../examples/demo.ts';
import { loadExamples, type WithExamples } from '../examples/load.ts';
import type { Demo } from '../service/demo-organization.ts';
import type { Service } from '../service/service.ts';
import type { Exchange } from './examples.ts';
import { Recorder } from './recorder.ts';

/** Tries the examples of a running service that the reference shows; returns what was said. */
export const recordExamples = async (
  service: Service,
  demo: Demo,
  outsiderToken: string,
): Promise<Exchange[]> => {
  const recorder = new Recorder(service.baseUrl, demo.organizations[0]!);
  let used = 0;
  const setting = demoSetting(service, demo, {
    tier: 'business',
    unique: () => String(++used),
  });
  // Ids are in the order in which they come, so that a list of members is the same each time.
  let members = 0;
  setting.member = async () => {
    const user_id = v5(`member ${++members} of the examples`, v5.URL);
    await setting.call('putMember', { path: { user_id }, body: { role: 'agent' } });
    return user_id;
  };
  for (const one of await loadExamples()) await record(recorder, one, setting, demo.platform_key);
  await refusals(recorder, setting, outsiderToken);
  return recorder.exchanges();
};

type ScenarioCall = Parameters<Recorder['call']>[2];

const record = async (
  recorder: Recorder,
  { operation, examples }: WithExamples,
  setting: Setting,
  platformKey: string,
): Promise<void> => {
  if (operation.kind !== 'routed') return;
  const { id, method, path, request, response } = operation;
  const token = isPlatformPermission(operation.permission) && { token: platformKey };
  let last: ScenarioCall = [method, path];
  for (const example of examples.filter(({ docs }) => docs)) {
    const { path: parameters = {}, ...sent } = await example.request(setting);
    const status = example.status ?? response.status;
    last = [method, path, parameters];
    await recorder.call(status, id, last, example.name, {
      ...sent,
      ...token,
      headers: {
        ...(operation.idempotent && { 'idempotency-key': randomUUID() }),
        ...sent.headers,
      },
    });
  }
  // The answer names the parameters of the operation.
  if (request.query) await recorder.call(400, id, last, unknown, { ...blue, ...token });
};

const unknown = 'an unknown parameter';
const blue = { query: { colour: 'blue' } };

/** The refusals that any operation may answer. */
const refusals = async (recorder: Recorder, setting: Setting, outsiderToken: string) => {
  const list: [string, string] = ['GET', '/leads'];
  const { id: lead_id } = await setting.lead();
  const one: [string, string, Record<string, string>] = ['PATCH', '/leads/{lead_id}', { lead_id }];
  await recorder.call(412, '', one, 'it has changed since it was read', {
    body: { stage: 'lost' },
    headers: { 'if-match': '"7"' },
  });
  await setting.call('deleteLead', { path: { lead_id } });
  await recorder.call(404, '', ['GET', one[1], one[2]], 'it is deleted');
  await recorder.call(401, '', list, 'no token', { token: null });
  await recorder.call(403, '', list, 'a member of no organization', { token: outsiderToken });
  // Shown for operations that have no parameters.
  await recorder.call(400, '', ['GET', '/pipelines'], unknown, blue);
  await recorder.call(415, '', ['POST', '/leads'], 'the body is not JSON', {
    body: { contact_name: 'Maria Silva', pipeline_id: setting.pipelineId },
    headers: { 'content-type': 'text/plain' },
  });
  await recorder.call(413, '', ['POST', '/leads'], 'more than 6 MB', {
    body: 'x'.repeat(6_291_556),
  });
};
