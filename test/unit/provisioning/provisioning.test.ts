import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { organizationInput, provision } from '../../../lib/provisioning/provisioning.ts';
import { openTable } from '../../../lib/table/client.ts';
import { someOrigin } from '../../support/origin.ts';
import '../support.ts';

test('a repeat is answered by a version that has a field more, and refused where that is asked for', async () => {
  const table = openTable();
  const asked = organizationInput.parse({
    name: 'Cedro',
    members: [{ user_id: randomUUID(), role: 'owner' }],
  });
  const later = (colour: string | null) => ({
    ...asked,
    pipelines: asked.pipelines.map((pipeline) => ({ ...pipeline, colour })),
  });
  const id = randomUUID();
  const { isNew, organization } = await provision(table, id, asked, someOrigin);
  expect(isNew).toBe(true);
  expect(await provision(table, id, later(null), someOrigin)).toEqual({
    isNew: false,
    organization,
  });
  const code = 'organization_id_reused';
  await expect(provision(table, id, later('red'), someOrigin)).rejects.toMatchObject({ code });
});
