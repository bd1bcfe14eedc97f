import { randomUUID } from 'node:crypto';
import { fillTemplate } from './fill-template.ts';
import type { DemoOrganization } from './organization.ts';

type Send = (method: string, path: string, body: object) => Promise<{ id: string }>;

/** What is made anew for a sample that names it, so that the sample may change or delete it. */
const made: Record<string, (send: Send, organization: DemoOrganization) => Promise<string>> = {
  async lead_id(send, { pipeline_id }) {
    return (await send('POST', '/leads', { contact_name: 'Sample', pipeline_id })).id;
  },
  async member_id(send) {
    const id = randomUUID();
    await send('PUT', `/members/${id}`, { role: 'agent' });
    return id;
  },
};

/** Fills the template of a sample event with what there is in an organization of a running service. */
export const fillSample = async (
  template: string,
  baseUrl: string,
  organization: DemoOrganization,
): Promise<unknown> => {
  const send: Send = async (method, path, body) => {
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${organization.tokens.owner}`,
        'x-organization-id': organization.organization_id,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`nothing to fill in: ${await answer.text()}`);
    return answer.json() as Promise<{ id: string }>;
  };
  const values: Record<string, unknown> = { ...organization, uuid: randomUUID() };
  for (const [name, make] of Object.entries(made)) {
    if (template.includes(`{{${name}}}`)) values[name] = await make(send, organization);
  }
  return JSON.parse(fillTemplate(template, values));
};
