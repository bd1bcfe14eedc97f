import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { inject } from 'vitest';
import { fillSample } from '../../tools/demo/sample.ts';
import type { Organization } from './organization.ts';

/** The sample event of an operation, filled for an organization. */
export const sample = async (
  operationId: string,
  organization: Organization,
): Promise<APIGatewayProxyEvent> => {
  const file = join(import.meta.dirname, `../events/${operationId}.json`);
  if (!existsSync(file)) {
    throw new Error(`test/events/${operationId}.json is missing: a request of ${operationId}`);
  }
  const event = await fillSample(await readFile(file, 'utf8'), inject('service').baseUrl, {
    organization_id: organization.id,
    pipeline_id: organization.pipelineId,
    users: organization.users,
    tokens: organization.tokens,
  });
  return event as APIGatewayProxyEvent;
};
