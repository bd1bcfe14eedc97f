import { call } from '../../support/api.ts';
import type { Organization } from '../../support/organization.ts';

// API keys of an organization, and what they get.

/** Makes an API key, of an agent unless told; the test fails if that is refused. */
export const makeApiKey = async (organization: Organization, fields: object = {}) => {
  const answer = await organization.post('/keys', { name: 'Form', role: 'agent', ...fields });
  if (answer.status !== 201) throw new Error(`no API key: ${answer.text}`);
  return answer.body;
};

/** What an API key gets of this address in an organization. */
export const getBy = (key: string, organization: Organization, path = '/leads') =>
  call('GET', path, {
    headers: { authorization: `Bearer ${key}`, 'x-organization-id': organization.id },
  });

/** How many API keys the organization has that are not revoked. */
export const usedApiKeys = async (organization: Organization): Promise<number> =>
  (await organization.get('/organization')).body.limits.keys.used;
