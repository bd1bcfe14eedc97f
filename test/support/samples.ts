import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { fillTemplate } from '../../infra/local/fill-template.ts';
import type { Organization } from './organization.ts';

/** The sample event of an operation, filled for an organization. */
export const sample = async (
  operationId: string,
  organization: Organization,
): Promise<APIGatewayProxyEvent> => {
  const template = await readFile(
    join(import.meta.dirname, `../events/${operationId}.json`),
    'utf8',
  );
  const values = {
    organization_id: organization.id,
    pipeline_id: organization.pipelineId,
    tokens: organization.tokens,
    uuid: randomUUID(),
  };
  return JSON.parse(fillTemplate(template, values));
};
