import type { APIGatewayProxyEvent } from 'aws-lambda';
import { inject } from 'vitest';
import type { Setting } from '../../functions/example.ts';
import { callOf } from '../../tools/examples/call.ts';
import { loadExamples } from '../../tools/examples/load.ts';
import { sampleEvent } from '../../tools/examples/sample.ts';
import { settingOf } from '../../tools/examples/setting.ts';
import { invoke, type Organization } from './organization.ts';

const all = new Map((await loadExamples()).map((one) => [one.operation.id, one]));

export const senderOf = ({ id, tokens }: Organization) => ({
  organizationId: id,
  token: tokens.owner,
  platformKey: inject('service').platformKey,
});

/** An organization of the running service as a setting of examples. */
export const setting = (organization: Organization): Setting =>
  settingOf({
    organizationId: organization.id,
    pipelineId: organization.pipelineId,
    users: organization.users,
    call: callOf({ baseUrl: inject('service').baseUrl, invoke: invoked }, senderOf(organization)),
  });

const invoked = async (operationId: string, event: unknown): Promise<unknown> => {
  const { failed, payload } = await invoke(operationId, event);
  if (failed) throw new Error(`${operationId}: ${JSON.stringify(payload)}`);
  return payload;
};

/** The sample event of an operation, for an organization of the running service. */
export const sample = async (
  operationId: string,
  organization: Organization,
): Promise<APIGatewayProxyEvent> => {
  const event = await sampleEvent(
    all.get(operationId)!,
    setting(organization),
    senderOf(organization),
  );
  return event as APIGatewayProxyEvent;
};
